import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFailed, onTestFinished, test } from 'vitest'
import { nodeBinary, projectFolder } from '../support/server/start-process.ts'

async function listens(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${String(port)}/livez`).then(
    ({ ok }) => ok,
    () => false,
  )
}

test.each<[string, (child: ChildProcess) => void]>([
  ['a signal', (child) => child.kill('SIGTERM')],
  ['nobody who reads what it prints', (child) => child.stdout?.destroy()],
])('a server that is measured ends with the process that measures it, which %s ends', async (_what, end) => {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const script = `
    import { startServer } from ${JSON.stringify(join(projectFolder, 'bench/servers/server-process.ts'))}
    const { port, pid } = await startServer({
      arguments: ['src/main.ts'],
      environment: { DATABASE_URL: ${JSON.stringify(`sqlite:${join(folder, 'plants.db')}`)} },
      logFile: ${JSON.stringify(join(folder, 'server.log'))},
    })
    setInterval(() => console.log(port, pid), 10)`
  const child = spawn(nodeBinary, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  const [port, pid] = printed.toString().split('\n', 1)[0]!.split(' ').map(Number) as [number, number]
  expect(await listens(port)).toBe(true)
  end(child)
  await ended
  onTestFailed(() => void process.kill(pid, 'SIGKILL'))
  await expect.poll(() => listens(port)).toBe(false)
})
