import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { nodeBinary, projectFolder } from '../../support/server/start-process.ts'
import { servedDatabase } from '../../support/server/served-database.ts'

/** Every file of a folder with its bytes. */
function contentOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  )
}

/** Starts the real server, which is expected not to start. @returns its one line */
async function refusalOf(file: string, prefix: string[] = []): Promise<string> {
  const [command, ...parameters]: [string, ...string[]] = [
    'env',
    ...prefix,
    nodeBinary,
    join(projectFolder, 'src/main.ts'),
  ]
  const child = spawn(command, parameters, {
    cwd: projectFolder,
    env: { ...process.env, PORT: '0', DATABASE_URL: `sqlite:${file}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // 'close' comes with the exit code.
  const [code] = (await once(child, 'close')) as [number | null]
  expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 })
  expect(stderr).toContain(file)
  return stderr
}

/** Spoils a page in the middle of many plants. */
function damage(file: string): void {
  const bytes = readFileSync(file)
  bytes.fill(0xff, 10 * 4_096, 10 * 4_096 + 200)
  writeFileSync(file, bytes)
}

async function filledDatabase(folder: string): ReturnType<typeof servedDatabase> {
  const served = await servedDatabase(folder)
  const database = new Database(served.file)
  database.exec(
    `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 2000)
     INSERT INTO plants (caller, id, name) SELECT 'someone', id, 'Monstera deliciosa' FROM ids`,
  )
  database.close()
  return served
}

test.each<[string, (file: string) => void, RegExp]>([
  ['with damaged pages', damage, /is damaged \(.*\); restore a backup; nothing was changed/],
  [
    'with a damaged schema',
    (file) => {
      const bytes = readFileSync(file)
      bytes.fill(0xff, 100, 300)
      writeFileSync(file, bytes)
    },
    /malformed|is damaged/,
  ],
  [
    'that is cut short',
    (file) => {
      writeFileSync(file, readFileSync(file).subarray(0, 6_000))
    },
    /malformed|is damaged/,
  ],
  [
    'with a schema from the future',
    (file) => {
      const database = new Database(file)
      database.pragma('user_version = 99')
      database.close()
    },
    /schema version 99.*start a newer release/,
  ],
])('a database %s is refused in one line, and every byte stays', async (_description, spoil, message) => {
  const folder = await temporaryFolder()
  const { file } = await filledDatabase(folder)
  spoil(file)
  const before = contentOf(folder)
  expect(await refusalOf(file)).toMatch(message)
  expect(contentOf(folder)).toEqual(before)
})

test('the log that a killed server left beside a database that is damaged stays for whoever repairs it', async () => {
  const folder = await temporaryFolder()
  const { file, serve } = await filledDatabase(folder)
  const server = await serve()
  expect(await server.create(1)).toBe(200)
  await server.end('SIGKILL')
  damage(file)
  const [bytes, log] = [readFileSync(file), readFileSync(`${file}-wal`)]
  expect(log.length).toBeGreaterThan(0)
  expect(await refusalOf(file)).toMatch(/is damaged/)
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(readFileSync(`${file}-wal`).equals(log)).toBe(true)
})

/**
 * What runs a command so that permissions bind it, which root passes over: without the capabilities to do so, it still
 * reads its own files.
 */
const boundByPermissions = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []

test('a folder in which nothing may be written is refused in one line', async () => {
  const folder = await temporaryFolder()
  const locked = join(folder, 'locked')
  mkdirSync(locked)
  chmodSync(locked, 0o555)
  expect(await refusalOf(join(locked, 'plants.db'), boundByPermissions)).toMatch(
    /permission denied|unable to open database file/i,
  )
  expect(readdirSync(locked)).toEqual([])
})

test('a file that may not be written is refused in one line, and every byte stays', async () => {
  const { file } = await servedDatabase()
  const folder = await temporaryFolder()
  cpSync(file, join(folder, 'plants.db'))
  chmodSync(join(folder, 'plants.db'), 0o444)
  const before = contentOf(folder)
  expect(await refusalOf(join(folder, 'plants.db'), boundByPermissions)).toMatch(/permission denied/)
  expect(contentOf(folder)).toEqual(before)
})
