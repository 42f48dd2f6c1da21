import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { expectFailure } from '../../support/responses/expect-failure.ts'
import { nodeBinary, projectFolder, runScript } from '../../support/server/start-process.ts'
import { type RunningServer, servedDatabase } from '../../support/server/served-database.ts'

/** Creates until a create is refused. @returns the ids of those that were acknowledged, and the refusal */
async function createUntilRefused(
  server: RunningServer,
): Promise<{ created: string[]; refusal: Awaited<ReturnType<RunningServer['send']>> }> {
  const created: string[] = []
  for (let id = 0; id < 20_000; id++) {
    const answer = await server.send('POST', '/plants', { id, name: String(id), tag: '\u{1f331}'.repeat(255) })
    if (answer.status !== 200) return { created, refusal: answer }
    created.push(String(id))
  }
  throw new Error('nothing was refused')
}

/** Writes are refused with 503, reads go on, and all that was acknowledged is there. */
async function expectReadsAlone(server: RunningServer, created: string[]): Promise<void> {
  for (const answer of [
    await server.send('POST', '/plants', { id: -1, name: 'a', tag: '\u{1f331}'.repeat(255) }),
    await server.send('DELETE', '/plants/0'),
  ]) {
    expectFailure(answer, 'unavailable')
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  expect(await server.names()).toEqual(created)
  expect((await server.send('GET', '/readyz')).status).toBe(200)
}

/** Writes work again by themselves, and all that was acknowledged is still there. */
async function expectWritesAgain(server: RunningServer, created: string[]): Promise<void> {
  await expect.poll(() => server.create(100_000), { timeout: 5_000 }).toBe(200)
  expect(await server.remove(0)).toBe(204)
  expect(await server.names()).toEqual([...created.filter((name) => name !== '0'), '100000'])
}

function expectIntegrity(file: string): void {
  const database = new Database(file, { readonly: true })
  onTestFinished(() => void database.close())
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
}

test('while its files may grow no more the server refuses writes and reads on, and then it writes again', async () => {
  const { file, serve } = await servedDatabase()
  const server = await serve()
  const created = ['0', '1', '2']
  for (const id of created) expect(await server.create(Number(id))).toBe(200)
  // The soft limit on the size of a file, which needs no privilege.
  const limit = (size: string) => execFileSync('prlimit', ['--pid', String(server.child.pid), `--fsize=${size}:`])
  limit('1')
  await expectReadsAlone(server, created)
  limit('unlimited')
  await expectWritesAgain(server, created)
  expectIntegrity(file)
})

/** Whether the commands succeed, which only a privileged user's do. */
function canDo(...commands: string[][]): boolean {
  try {
    for (const [command = '', ...parameters] of commands) execFileSync(command, parameters, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const mountPoint = join(projectFolder, 'node_modules/.cache/small-disk')
const canMount = canDo(
  ['mkdir', '-p', mountPoint],
  ['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mountPoint],
  ['umount', mountPoint],
)

test.runIf(canMount)(
  'while its disk is full the server refuses writes and goes on reading, and when there is room it writes again',
  { timeout: 60_000 },
  async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mountPoint])
    onTestFinished(() => void execFileSync('umount', ['--lazy', mountPoint]))
    const { file, serve } = await servedDatabase(mountPoint)
    const server = await serve()
    const { created, refusal } = await createUntilRefused(server)
    expectFailure(refusal, 'unavailable')
    expect(created.length).toBeGreaterThan(10)
    await expectReadsAlone(server, created)
    execFileSync('mount', ['-o', 'remount,size=8m', mountPoint])
    await expectWritesAgain(server, created)
    expectIntegrity(file)
    await server.end()
  },
)

test.runIf(canMount)(
  'a copy that finds no room on the disk is neither made nor restored',
  { timeout: 60_000 },
  async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mountPoint])
    onTestFinished(() => void execFileSync('umount', ['--lazy', mountPoint]))
    const small = await servedDatabase(mountPoint)
    const large = await servedDatabase()
    const database = new Database(large.file)
    database.exec(`INSERT INTO plants (caller, id, name) VALUES ('me', 1, hex(randomblob(1000000)))`)
    database.close()
    const bytes = readFileSync(small.file)
    const run = (script: string, parameters: string[], { file }: { file: string }) =>
      runScript(script, parameters, { DATABASE_URL: `sqlite:${file}` })
    const refusal = (message: RegExp) => ({ code: 1, stdout: '', stderr: expect.stringMatching(message) as string })
    const backup = await run('scripts/backup.ts', [join(mountPoint, 'copy.db')], large)
    expect(backup).toEqual(refusal(/^.*plants\.db cannot be copied: [^\n]*\n$/))
    const restored = await run('scripts/restore.ts', [large.file, '--force'], small)
    expect(restored).toEqual(refusal(/^ENOSPC: no space left on device[^\n]*\n$/))
    expect(readdirSync(mountPoint)).toEqual(['plants.db'])
    expect(readFileSync(small.file).equals(bytes)).toBe(true)
  },
)

const immutable = join(projectFolder, 'node_modules/.cache/immutable')
const canFreeze = canDo(['touch', immutable], ['chattr', '+i', immutable], ['chattr', '-i', immutable])

test.runIf(canFreeze)(
  'while its files are read-only the server refuses writes and goes on reading, and when they are not it writes again',
  async () => {
    const { file, serve } = await servedDatabase()
    const server = await serve()
    const created = ['0', '1', '2']
    for (const id of created) expect(await server.create(Number(id))).toBe(200)
    const files = [file, `${file}-wal`]
    execFileSync('chattr', ['+i', ...files])
    onTestFinished(() => void canDo(['chattr', '-i', ...files]))
    await expectReadsAlone(server, created)
    execFileSync('chattr', ['-i', ...files])
    await expectWritesAgain(server, created)
    expectIntegrity(file)
  },
)

test('while another process holds the write lock the server refuses writes, reads on, then writes again', async () => {
  const { file, serve } = await servedDatabase()
  const server = await serve()
  const created = ['0', '1', '2']
  for (const id of created) expect(await server.create(Number(id))).toBe(200)
  const script =
    `const database = new (require('better-sqlite3'))(process.argv[1]); database.exec('BEGIN IMMEDIATE'); ` +
    `console.log('locked'); setInterval(() => {}, 1000)`
  const other = spawn(nodeBinary, ['-e', script, file], { cwd: projectFolder, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void other.kill('SIGKILL'))
  await once(other.stdout, 'data')
  await expectReadsAlone(server, created)
  // Those that ask while the lock is waited for are answered as soon as it is free.
  const waiting = server.create(3)
  await delay(100)
  other.kill('SIGKILL')
  expect(await waiting).toBe(200)
  await expectWritesAgain(server, [...created, '3'])
  expectIntegrity(file)
})

test('a fault of the memory into which a file is mapped ends the server, and nothing is lost', async () => {
  const { file, serve } = await servedDatabase()
  const server = await serve()
  expect(await server.create(1)).toBe(200)
  // What is mapped beyond the end of a file cannot be read: the kernel answers with SIGBUS.
  truncateSync(`${file}-shm`, 0)
  await expect(server.create(2)).rejects.toThrow()
  await server.ended
  expect(server.child.signalCode).toBe('SIGBUS')
  const again = await serve()
  expect(await again.names()).toEqual(expect.arrayContaining(['1']))
})
