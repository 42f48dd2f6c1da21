import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { expectFailure } from '../../support/responses/expected-contract.ts'
import { projectFolder, runScript } from '../../support/server/start-process.ts'
import { readColumn, runSql } from '../../support/server/sqlite-file.ts'
import { servedDatabase } from '../../support/server/served-database.ts'
import { newPlant } from '../../support/plants.ts'

test('the server refuses writes and serves reads while its files cannot grow, and then recovers', async () => {
  const { file, serve } = await servedDatabase()
  const server = await serve()
  for (const id of [0, 1, 2]) expect(await server.create(id)).toBe(200)
  // Changing the soft limit of the file size needs no privilege.
  const limit = (size: string) => execFileSync('prlimit', ['--pid', String(server.child.pid), `--fsize=${size}:`])
  limit('1')
  for (const response of [
    await server.send('POST', '/plants', newPlant({ id: -1n })),
    await server.send('DELETE', '/plants/0'),
  ]) {
    expectFailure(response, 'unavailable')
    expect(response.headers.get('retry-after')).toBe('1')
  }
  expect(await server.names()).toEqual(['0', '1', '2'])
  expect((await server.send('GET', '/readyz')).status).toBe(200)
  limit('unlimited')
  await expect.poll(() => server.create(3)).toBe(200)
  expect(await server.remove(0)).toBe(204)
  expect(await server.names()).toEqual(['1', '2', '3'])
  expect(readColumn(file, 'PRAGMA integrity_check')).toEqual(['ok'])
})

test('a fault that goes on is one line of the log in a second, with their number', async () => {
  const { serve } = await servedDatabase()
  const server = await serve()
  execFileSync('prlimit', ['--pid', String(server.child.pid), `--fsize=1:`])
  const began = performance.now()
  for (let id = 0; id < 200; id++)
    expect((await server.send('POST', '/plants', newPlant({ id: BigInt(id) }))).status).toBe(503)
  const lines = () => server.stderr().match(/^.*the store is not available.*$/gm) ?? []
  const faults = () => lines().reduce((sum, line) => sum + Number(/"faults":(\d+)/.exec(line)?.[1]), 0)
  // The use of the token is not recorded either.
  await expect.poll(faults).toBeGreaterThanOrEqual(200)
  expect(lines().length).toBeLessThan(3 + (performance.now() - began) / 1_000)
  expect(lines()[0]).toContain('"code":"SQLITE_')
})

const mountPoint = join(projectFolder, 'node_modules/.cache/small-disk')
const mount = `mount -t tmpfs -o size=1m tmpfs ${mountPoint}`
const canMount = canDo(`mkdir -p ${mountPoint} && ${mount} && umount ${mountPoint}`)

/** Whether a command succeeds; some need a privileged user. */
function canDo(command: string): boolean {
  return spawnSync('sh', ['-c', command]).status === 0
}

function mountSmallDisk(): void {
  expect(canDo(mount)).toBe(true)
  onTestFinished(() => void canDo(`umount --lazy ${mountPoint}`))
}

test.runIf(canMount)('backup and restore on a full disk change nothing', async () => {
  mountSmallDisk()
  const [small, source] = [await servedDatabase(mountPoint), await servedDatabase()]
  runSql(source.file, `INSERT INTO plants (caller, id, name) VALUES ('me', 1, hex(randomblob(1000000)))`)
  const bytes = readFileSync(small.file)
  const run = (script: string, parameters: string[], file: string) =>
    runScript(`scripts/${script}`, parameters, { DATABASE_URL: `sqlite:${file}` })
  const refusal = (message: RegExp) => ({ code: 1, stdout: '', stderr: expect.stringMatching(message) as string })
  const backup = await run('backup.ts', [join(mountPoint, 'copy.db')], source.file)
  expect(backup).toEqual(refusal(/^.*plants\.db cannot be copied: [^\n]*\n$/))
  const restored = await run('restore.ts', [source.file, '--force'], small.file)
  expect(restored).toEqual(refusal(/^.*\/plants\.db cannot be restored from .*\/plants\.db: ENOSPC: [^\n]*\n$/))
  expect(readdirSync(mountPoint)).toEqual(['plants.db'])
  expect(readFileSync(small.file).equals(bytes)).toBe(true)
})

test('SIGBUS in mapped memory ends the server, and no plant is lost', async () => {
  const { file, serve } = await servedDatabase()
  const server = await serve()
  expect(await server.create(1)).toBe(200)
  // Reading mapped memory beyond the end of its file gives SIGBUS.
  truncateSync(`${file}-shm`, 0)
  await expect(server.create(2)).rejects.toThrow()
  await server.ended
  expect(server.child.signalCode).toBe('SIGBUS')
  expect(await (await serve()).names()).toEqual(expect.arrayContaining(['1']))
})
