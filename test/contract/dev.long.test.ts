import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFailed, onTestFinished, test } from 'vitest'
import { hasEnded, startProgram } from '../support/server/program.ts'
import { addGetPlant, copyProject } from './project-copy.ts'

const script = join(import.meta.dirname, '../../scripts/dev.ts')

/** Runs `npm run dev` in a folder and reads its output. */
async function startDev(root: string, ...options: string[]) {
  // One pipe for both outputs keeps the order of their lines.
  const command = ['sh', '-c', 'exec "$@" 2>&1', 'sh', process.execPath, script, ...options]
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'info' }
  const program = { cwd: root, env, lastSignal: 'SIGTERM' } as const
  const { child, stdout, end, ended } = await startProgram(command, program, () => true)
  onTestFinished(() => end())
  onTestFailed(() => {
    console.error(`lines that were read: ${String(read)} of\n${stdout()}`)
  })
  const lines = () => stdout().split('\n').slice(0, -1)
  let read = 0

  /** Resolves to the next line that matches; the test's own time limit ends the wait. */
  async function next(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      for (const line of lines().slice(read)) {
        read++
        const match = pattern.exec(line)
        if (match) return match
      }
      if (hasEnded(child)) throw new Error('the command has ended')
      await setTimeout(10)
    }
  }
  /** Resolves to the origin of the next server whose contract has this text. Servers may be replaced meanwhile. */
  async function nextServing(part: string): Promise<string> {
    for (;;) {
      const origin = (await next(/^Plant Store\s+(\S+)/))[1]!
      const contract = await servedContract(origin).catch(() => '')
      if (contract.includes(part)) return origin
    }
  }
  return { lines, next, nextServing, stop: () => end().then(() => ended) }
}

async function servedContract(origin: string): Promise<string> {
  const response = await fetch(`${origin}/openapi.yaml`)
  return response.text()
}

test('saves that follow each other quickly print no fault of a state that has passed', async () => {
  const { root, edit } = await copyProject()
  const dev = await startDev(root)
  await dev.nextServing('title: Plant Store')
  // While it generates, while a candidate starts, and while the server is replaced.
  for (const [number, pause] of [100, 900, 1_400, 1_900, 2_400].entries()) {
    await edit('openapi.yaml', (text) => text.replace(/title: .*/, `title: Draft ${String(number)}`))
    await setTimeout(pause)
  }
  await edit('openapi.yaml', (text) => text.replace(/title: .*/, 'title: Last'))
  await dev.nextServing('title: Last')
  expect(dev.lines().filter((line) => /does not match|does not start|has ended/.test(line))).toEqual([])
})

// Several servers start one after the other, which takes long on a busy machine.
test('npm run dev serves each save, and keeps the last good server running', async () => {
  const { root, edit } = await copyProject()
  const dev = await startDev(root)
  const first = await dev.nextServing('title: Plant Store')

  // A saved contract is generated from and served.
  await edit('openapi.yaml', (text) => text.replace('title: Plant Store', 'title: Plants'))
  const second = await dev.nextServing('title: Plants')
  await expect(fetch(first)).rejects.toThrow()

  // A broken contract is reported, and the last good server keeps running.
  const good = await readFile(join(root, 'openapi.yaml'), 'utf8')
  await edit('openapi.yaml', (text) => text.slice(0, text.length / 2))
  await dev.next(/^openapi\.yaml:\d+:\d+: /)
  await dev.next(/^dev: the contract is broken; the last good server keeps running$/)
  expect(await servedContract(second)).toContain('title: Plants')

  // The last good server also keeps running while an operation has no handler.
  await edit('openapi.yaml', () => addGetPlant(good))
  await dev.next(/^dev: the server does not start; the last good server keeps running$/)
  expect(dev.lines().join('\n')).toMatch(/^plant-store: operation getPlant: has no handler/m)
  await dev.next(/^src\/handlers\.ts.* error TS2741/)
  expect(await servedContract(second)).not.toContain('getPlant')
  await edit('openapi.yaml', () => good)
  const third = await dev.nextServing('title: Plants')

  // And while a source file cannot be loaded.
  const handler = await readFile(join(root, 'src/plants/listPlants.ts'), 'utf8')
  await edit('src/plants/listPlants.ts', () => 'export const')
  await dev.next(/^dev: the server does not start; the last good server keeps running$/)
  expect(await servedContract(third)).toContain('title: Plants')
  await edit('src/plants/listPlants.ts', () => handler)
  const last = await dev.nextServing('title: Plants')

  // Type errors are printed after each save, also those of a file directly in src.
  await edit('src/handlers.ts', (text) => `${text}export const wrong: number = 'text'\n`)
  await dev.nextServing('title: Plants')
  await dev.next(/^dev: the code has type errors:$/)
  await dev.next(/^src\/handlers\.ts.* error TS2322/)
  await edit('src/plants/deletePlant.ts', (text) => `${text}\n`)
  await dev.nextServing('title: Plants')
  await dev.next(/^src\/handlers\.ts.* error TS2322/)
  await edit('src/handlers.ts', (text) => text.replace(/export const wrong.*\n/, ''))
  const wrong = await dev.nextServing('title: Plants')
  await dev.next(/^dev: the type errors are gone$/)

  // The log is formatted for people.
  expect(dev.lines()).toContainEqual(expect.stringMatching(/INFO: listening at /))
  expect(await dev.stop()).toBe(0)
  await expect(fetch(wrong)).rejects.toThrow()
  await expect(fetch(last)).rejects.toThrow()
})

test('the mock answers until a handler is written', async () => {
  const { root, edit } = await copyProject()
  await edit('openapi.yaml', addGetPlant)
  await edit('src/handlers.ts', (text) =>
    `import { notImplemented } from 'fastify-contract'\n${text}`.replace('\n}', '\n  getPlant: notImplemented,\n}'),
  )
  const dev = await startDev(root)
  const origin = await dev.nextServing('getPlant')
  const [, token = ''] = await dev.next(/^Token +(\S+)/)
  const get = async (authorization: string) => {
    const response = await fetch(`${origin}/plants/54`, { headers: { authorization } })
    return { status: response.status, body: await response.json() }
  }
  expect(await get(`Bearer ${token}`)).toEqual({ status: 200, body: { name: 'Monstera deliciosa', tag: 'indoor' } })
  expect(await get('Bearer other')).toMatchObject({ status: 401 })
  expect(dev.lines().filter((line) => line.includes('mock'))).toEqual([
    'the mock answers getPlant, because the handler is notImplemented',
  ])
})

test('a changed schema is named, and --fresh starts all the same', async () => {
  const { root, edit } = await copyProject()
  await edit('openapi.yaml', (text) =>
    text.replace('    NewPlant:\n', (next) => `        height: { type: string }\n${next}`),
  )
  const dev = await startDev(root)
  await dev.nextServing('title: Plant Store')
  await edit('src/plants/plant.ts', (text) => text.replace("tag: 'text?',", "tag: 'text?',\n  height: 'text?',"))
  await dev.next(/^plant-store: .* lacks the column plants\.height: if it is new, add its migration;/)

  const schema = await readFile(join(root, 'src/store/sqlite/schema.ts'), 'utf8')
  const addColumns = (...names: string[]) => {
    const sql = names.map((name) => `ALTER TABLE plants ADD COLUMN ${name} TEXT;`).join(' ')
    return () => schema.replace('\n]\n', `\n  '${sql}',\n]\n`)
  }
  await edit('src/store/sqlite/schema.ts', addColumns('height'))
  await dev.nextServing('title: Plant Store')
  await edit('src/store/sqlite/schema.ts', addColumns('height', 'width'))
  await dev.next(/plants\.db lacks plants\.width TEXT, .* edited after it had run, /)
  await dev.next(/^dev: the server has ended; no server runs; save a file to try again$/)
  await edit('src/plants/plant.ts', (text) => text.replace("  height: 'text?',\n", ''))
  await edit('src/store/sqlite/schema.ts', () => schema)
  await dev.next(/has schema version \d, .* if it is of another branch, npm run dev -- --fresh; nothing was changed$/)
  expect(await dev.stop()).toBe(0)

  const fresh = await startDev(root, '--fresh')
  await fresh.nextServing('title: Plant Store')
  const [, folder = ''] = await fresh.next(/^Database +(\S+)\/plants\.db, which is empty$/)
  expect(await fresh.stop()).toBe(0)
  expect(existsSync(folder)).toBe(false)
})

test('npm run dev leaves no server behind when npm is ended', async () => {
  const { root } = await copyProject()
  const printed = /^Plant Store +(\S+)\n/m
  const options = { cwd: root, env: { ...process.env, PORT: '0' }, lastSignal: 'SIGTERM' } as const
  const npm = await startProgram(['npm', 'run', 'dev'], options, (text) => printed.test(text))
  const [, origin = ''] = printed.exec(npm.stdout()) ?? []
  await npm.end()
  await expect.poll(() => fetch(origin).catch(() => 'gone')).toBe('gone')
})

test('npm run dev -- --mock serves the contract of each save without handlers', async () => {
  const { root, edit } = await copyProject()
  const dev = await startDev(root, '--mock')
  const get = async (path: string) => {
    const origin = (await dev.next(/^http:\S+$/))[0]
    return fetch(`${origin}${path}`, { headers: { authorization: 'Bearer any' } })
  }
  expect((await get('/plants/54')).status).toBe(405)
  await edit('openapi.yaml', addGetPlant)
  const response = await get('/plants/54')
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 200,
    body: { name: 'Monstera deliciosa', tag: 'indoor' },
  })
  expect(await dev.stop()).toBe(0)
})
