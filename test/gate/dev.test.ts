import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, expect, test } from 'vitest'
import { generate } from '../../packages/fastify-contract/src/gate/generate/generate.ts'
import { addGetPlant, copyProject, replace } from './project-copy.ts'

const script = join(import.meta.dirname, '../../scripts/develop/dev.ts')

/** Runs the command in a folder, and waits for what it says. */
function startDev(root: string, task: TestContext) {
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  const events = new EventEmitter()
  let read = 0
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line)
      events.emit('line')
    })
  }
  // All that it has printed has been read by then.
  const exit = once(child, 'close').then(([code]) => code as number | null)
  const exited = exit.then((code) => {
    throw new Error(`the command ended with ${String(code)}`)
  })
  exited.catch(() => undefined)
  async function stop(): Promise<number | null> {
    child.kill('SIGTERM')
    return exit
  }
  task.onTestFinished(async () => void (await stop()))
  task.onTestFailed(() => {
    console.error(`lines that were read: ${String(read)} of\n${lines.join('\n')}`)
  })

  /** Resolves to the next line that matches; the test's own time limit ends the wait. */
  async function next(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      for (const line of lines.slice(read)) {
        read++
        const match = pattern.exec(line)
        if (match) return match
      }
      await Promise.race([once(events, 'line'), exited])
    }
  }
  /**
   * Resolves when lines match all of these, in whatever order: the server and the compiler do not wait for each other.
   */
  async function nextOfEach(...patterns: RegExp[]): Promise<string[]> {
    const from = read
    const ends: number[] = []
    const found: string[] = []
    for (const pattern of patterns) {
      read = from
      found.push((await next(pattern))[0])
      ends.push(read)
    }
    read = Math.max(...ends)
    return found
  }
  /** Resolves to the origin of the next server that serves such a contract; one may be replaced before it is asked. */
  async function nextServing(part: string): Promise<string> {
    for (;;) {
      const origin = (await next(/^Plant Store\s+(\S+)/))[1]!
      const contract = await servedContract(origin).catch(() => '')
      if (contract.includes(part)) return origin
    }
  }
  return { next, nextOfEach, nextServing, stop }
}

async function servedContract(origin: string): Promise<string> {
  const response = await fetch(`${origin}/openapi.yaml`)
  return response.text()
}

// Eight servers start one after the other, which takes long on a busy machine.
test('the server follows every save, and keeps running where it cannot', { timeout: 90_000 }, async (task) => {
  const { root, editContract } = await copyProject()
  const dev = startDev(root, task)
  const [first] = await dev.nextOfEach(/(?<=^Plant Store\s+)\S+/, /^dev: types: no error/)

  // A saved contract is generated from and served, on the docs page too, which reads it from the server.
  await editContract(replace('title: Plant Store', 'title: Plants'))
  const second = await dev.nextServing('title: Plants')
  await expect(fetch(first!)).rejects.toThrow()

  // A broken one is told of, and the last good server goes on, a saved source file notwithstanding.
  const good = await readFile(join(root, 'openapi.yaml'), 'utf8')
  await editContract((text) => text.slice(0, text.length / 2))
  await dev.next(/^dev: openapi\.yaml:\d+:\d+: /)
  await dev.next(/^dev: openapi\.yaml is broken; the last good server goes on/)
  await touch(join(root, 'src/plants/listPlants.ts'))
  await dev.next(/^dev: openapi\.yaml is broken; the last good server goes on/)
  expect(await servedContract(second)).toContain('title: Plants')

  // An operation without a handler is named, also by the compiler, until the handler is saved.
  await editContract(() => addGetPlant(good))
  await dev.nextOfEach(
    /^dev: there is no handler for getPlant; the last good server goes on/,
    /^dev: types: .*getPlant/,
  )
  const handler = (await readFile(join(root, 'src/plants/deletePlant.ts'), 'utf8')).replaceAll(
    'deletePlant',
    'getPlant',
  )
  await writeFile(join(root, 'src/plants/getPlant.ts'), handler)
  // The file is there, so this adds it to the table of handlers alone.
  await generate(root, 'scaffold')
  const withPlant = await dev.nextServing('operationId: getPlant')

  // A handler whose operation is gone is named, too, until it is out of the table.
  const table = await readFile(join(root, 'src/handlers.ts'), 'utf8')
  await editContract(() => good)
  await dev.next(/^dev: src\/handlers\.ts has getPlant, which openapi\.yaml has not; the last good server goes on/)
  expect(await servedContract(withPlant)).toContain('operationId: getPlant')
  await writeFile(join(root, 'src/handlers.ts'), table.replace(/^import .*getPlant.*\n/m, '').replace(', getPlant', ''))
  const without = await dev.nextServing('title: Plants')
  expect(await servedContract(without)).not.toContain('getPlant')
  await editContract(() => addGetPlant(good))
  await dev.next(/^dev: there is no handler for getPlant; the last good server goes on/)
  await writeFile(join(root, 'src/handlers.ts'), table)
  await dev.nextServing('operationId: getPlant')

  // A source file that cannot be loaded ends the server; the next save starts it.
  await writeFile(join(root, 'src/plants/getPlant.ts'), 'export const')
  await dev.next(/^dev: the server ended with 1; it starts again at the next save/)
  await writeFile(join(root, 'src/plants/getPlant.ts'), handler)
  const last = await dev.nextServing('operationId: getPlant')

  expect(await dev.stop()).toBe(0)
  await expect(fetch(last)).rejects.toThrow()
})

async function touch(file: string): Promise<void> {
  await writeFile(`${file}~`, await readFile(file))
  await rename(`${file}~`, file)
}
