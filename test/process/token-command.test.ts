import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { runScript, startProcess } from '../support/server/start-process.ts'

async function newDatabase(): Promise<{ DATABASE_URL: string }> {
  return { DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'plants.db')}` }
}

/** Makes a database without a token, as a server makes it that others can reach. */
async function emptyDatabase(): Promise<{ DATABASE_URL: string }> {
  const file = join(await temporaryFolder(), 'plants.db')
  await openSqliteStore({ file, onFault: () => undefined }).close()
  return { DATABASE_URL: `sqlite:${file}` }
}

async function token(environment: Record<string, string>, ...parameters: string[]) {
  return runScript('scripts/token.ts', parameters, environment)
}

test('a token that is issued while the server runs is good at once, and refused as soon as it is revoked', async () => {
  const environment = await newDatabase()
  const server = await startProcess(environment)
  onTestFinished(() => server.end())
  const issued = await token(environment, 'issue', 'alice')
  expect(issued).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^plst_[\w-]{43}\n$/) as string })
  const text = issued.stdout.trim()
  const list = () => fetch(`${server.origin}/plants`, { headers: { authorization: `Bearer ${text}` } })
  expect(await (await list()).text()).toBe('[]')

  const listed = await token(environment, 'list')
  expect(listed).toMatchObject({ code: 0, stderr: '2 tokens\n' })
  expect(listed.stdout).toMatch(
    new RegExp(
      `^${text.slice(0, 11)}…  alice  issued \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z  never expires  ` +
        '(?:never used|last used \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\dZ)$',
      'm',
    ),
  )
  expect(listed.stdout).not.toContain(text)

  const revoked = await token(environment, 'revoke', text.slice(0, 11))
  expect(revoked).toMatchObject({ code: 0, stderr: '' })
  expect(revoked.stdout).toContain(`revoked ${text.slice(0, 11)}…  alice`)
  const refused = await list()
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({ error: 40101 })
  expect((await token(environment, 'list')).stderr).toBe('1 token\n')
})

test('a token with a lifetime is refused once the lifetime is over', async () => {
  const environment = await newDatabase()
  const server = await startProcess(environment)
  onTestFinished(() => server.end())
  const { stdout } = await token(environment, 'issue', 'alice', '--ttl', '1s')
  const list = async () =>
    (await fetch(`${server.origin}/plants`, { headers: { authorization: `Bearer ${stdout.trim()}` } })).status
  await expect.poll(list, { timeout: 5_000, interval: 50 }).toBe(401)
  const [, issued = '', expires = ''] =
    /issued (\S+) {2}expires (\S+)/.exec((await token(environment, 'list')).stdout) ?? []
  expect(Date.parse(expires) - Date.parse(issued)).toBe(1_000)
})

test('a token has the scopes with which it was issued, and the list shows them', async () => {
  const environment = await emptyDatabase()
  for (const scope of ['plants:read,plants:write', 'admin,admin']) {
    expect(await token(environment, 'issue', 'alice', '--scope', scope)).toMatchObject({ code: 0, stderr: '' })
  }
  await token(environment, 'issue', 'alice')
  const { stdout } = await token(environment, 'list')
  expect(stdout.match(/never used.*$/gm)).toEqual([
    'never used  scopes plants:read,plants:write',
    'never used  scopes admin',
    'never used',
  ])
})

test('a whole token may be given to revoke it', async () => {
  const environment = await emptyDatabase()
  const { stdout } = await token(environment, 'issue', 'alice')
  expect((await token(environment, 'revoke', stdout.trim())).code).toBe(0)
  expect(await token(environment, 'list')).toMatchObject({ stdout: '', stderr: '0 tokens\n' })
})

test('an unknown token cannot be revoked, and the message does not repeat what might be a secret', async () => {
  const environment = await emptyDatabase()
  const secret = `plst_${'x'.repeat(43)}`
  const { code, stdout, stderr } = await token(environment, 'revoke', secret)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^there is no token plst_xxxxxx…/)
  expect(stderr).not.toContain(secret)
})

test('a command that is not as it should be is told on standard error, and no token is issued', async () => {
  const environment = await emptyDatabase()
  const misuses: [string[], string][] = [
    [[], 'Usage: '],
    [['make', 'alice'], 'Usage: '],
    [['issue'], 'Usage: '],
    [['issue', 'alice', 'bob'], 'Usage: '],
    [['issue', ''], 'the caller must have 1 to 255 characters'],
    [['issue', 'a'.repeat(256)], 'the caller must have 1 to 255 characters'],
    [['issue', 'alice\nbob'], 'the caller must have 1 to 255 characters, none of them a control character'],
    [['list', 'alice'], 'Usage: '],
    [['list', '--ttl', '1d'], 'Usage: '],
    [['revoke'], 'Usage: '],
    [['issue', 'alice', '--for', '1d'], "Unknown option '--for'"],
    [['issue', 'alice', '--ttl'], '--ttl'],
    [['issue', 'alice', '--ttl', '30'], '--ttl must be like 90s'],
    [['issue', 'alice', '--ttl', '0d'], '--ttl must be like 90s'],
    [['issue', 'alice', '--ttl', '36501d'], '--ttl must be like 90s'],
    [['issue', 'alice', '--scope', ''], '--scope must be like plants:read'],
    [['issue', 'alice', '--scope', 'plants:read,'], '--scope must be like plants:read'],
    [['issue', 'alice', '--scope', 'plants read'], '--scope must be like plants:read'],
    [['issue', 'alice', '--scope', 'plants:read', '--scope', 'plants:write'], '--scope is given twice'],
    [['issue', 'alice', '--ttl', '1d', '--ttl=2d'], '--ttl is given twice'],
    [['list', '--scope', 'admin'], 'Usage: '],
  ]
  await Promise.all(
    misuses.map(async ([parameters, message]) => {
      const { code, stdout, stderr } = await token(environment, ...parameters)
      expect({ parameters, code, stdout }).toEqual({ parameters, code: 1, stdout: '' })
      expect(stderr).toContain(message)
      expect(stderr).not.toMatch(/^ +at /m)
    }),
  )
  expect((await token(environment, 'list')).stderr).toBe('0 tokens\n')
})

test('a bad variable and a file that is no database are told in one line', async () => {
  expect(await token({ DATABASE_URL: 'oracle:x' }, 'list')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^DATABASE_URL [^\n]*\n$/) as string,
  })
  const file = join(await temporaryFolder(), 'notes.txt')
  await writeFile(file, 'my notes')
  expect(await token({ DATABASE_URL: `sqlite:${file}` }, 'list')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^[^\n]*is not an SQLite database[^\n]*\n$/) as string,
  })
})

const commands = [['issue', 'me'], ['list'], ['revoke', 'plst_aaaaaa']]

test.each(commands)('%s makes no database where there is none, and says how to name another', async (...parameters) => {
  const folder = await temporaryFolder()
  const file = join(folder, 'typo', 'plants.db')
  expect(await token({ DATABASE_URL: `sqlite:${file}` }, ...parameters)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^there is no database .*plants\.db; name another[^\n]*\n$/) as string,
  })
  expect(await readdir(folder)).toEqual([])
})
