import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { generate } from '../../scripts/develop/generate/generate.ts'
import { addGetPlant, copyProject, replace } from './project-copy.ts'

const script = join(import.meta.dirname, '../../scripts/develop/dev.ts')

/** Runs the command in a folder, and waits for what it says. */
function startDev(root: string) {
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  let read = 0
  let wake: () => void = () => undefined
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line)
      wake()
    })
  }
  const exit = once(child, 'exit')
  async function stop(): Promise<unknown> {
    child.kill('SIGTERM')
    return (await exit)[0]
  }
  onTestFinished(() => void stop())

  /** Resolves to the next line that matches; the test's own time limit ends the wait. */
  async function next(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      for (const line of lines.slice(read)) {
        read++
        const match = pattern.exec(line)
        if (match) return match
      }
      await new Promise<void>((resolve) => {
        wake = resolve
      })
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
  return { next, nextOfEach, stop, nextOrigin: async () => (await next(/^Plant Store\s+(\S+)/))[1]! }
}

async function servedContract(origin: string): Promise<string> {
  const response = await fetch(`${origin}/openapi.yaml`)
  return response.text()
}

test('the server follows every save, and keeps running where it cannot', { timeout: 60_000, retry: 2 }, async () => {
  const { root, editContract } = await copyProject()
  const dev = startDev(root)
  const [first] = await dev.nextOfEach(/(?<=^Plant Store\s+)\S+/, /^dev: types: (?:no|\d+) error/)

  // A saved contract is generated from and served, on the docs page too, which reads it from the server.
  await editContract(replace('title: Plant Store', 'title: Plants'))
  const second = await dev.nextOrigin()
  expect(await servedContract(second)).toContain('title: Plants')
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
  const stub = await readFile(join(root, 'src/plants/deletePlant.ts'), 'utf8')
  await writeFile(join(root, 'src/plants/getPlant.ts'), stub.replaceAll('deletePlant', 'getPlant'))
  // The file is there, so this adds it to the table of handlers alone.
  await generate(root, 'scaffold')
  const third = await dev.nextOrigin()
  expect(await servedContract(third)).toContain('operationId: getPlant')

  // A source file that cannot be loaded ends the server; the next save starts it.
  await writeFile(join(root, 'src/plants/getPlant.ts'), 'export const')
  await dev.next(/^dev: the server ended with 1; it starts again at the next save/)
  await writeFile(join(root, 'src/plants/getPlant.ts'), stub.replaceAll('deletePlant', 'getPlant'))
  const fourth = await dev.nextOrigin()

  expect(await dev.stop()).toBe(0)
  await expect(fetch(fourth)).rejects.toThrow()
})

async function touch(file: string): Promise<void> {
  await writeFile(`${file}~`, await readFile(file))
  await rename(`${file}~`, file)
}
