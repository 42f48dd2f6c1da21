import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { runHere } from '../support/server/run-here.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { runScript, startProcess } from '../support/server/start-process.ts'

/** Makes a database without a token, as a server that is not on loopback does. */
async function emptyDatabase(): Promise<{ DATABASE_URL: string }> {
  const file = join(await temporaryFolder(), 'plants.db')
  await openSqliteStore({ file, onFault: () => undefined }).close()
  return { DATABASE_URL: `sqlite:${file}` }
}

async function token(environment: Record<string, string>, ...parameters: string[]) {
  return runScript('scripts/token.ts', parameters, environment)
}

function tokenHere(environment: Record<string, string>, ...parameters: string[]) {
  return runHere('scripts/token.ts', parameters, environment)
}

test('a token works as soon as it is issued, and fails as soon as it is revoked', async () => {
  const environment = { ...(await emptyDatabase()), HOST: '0.0.0.0' }
  const server = await startProcess(environment)
  onTestFinished(() => server.end())
  const issued = await token(environment, 'issue', 'alice')
  expect(issued).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^plst_[\w-]{43}\n$/) as string })
  const text = issued.stdout.trim()
  const list = () => fetch(`${server.origin}/plants`, { headers: { authorization: `Bearer ${text}` } })
  expect(await (await list()).text()).toBe('[]')

  const listed = await tokenHere(environment, 'list')
  expect(listed).toMatchObject({ code: 0, stderr: '1 token\n' })
  expect(listed.stdout).toMatch(
    new RegExp(
      `^${text.slice(0, 11)}…  alice  issued \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z  never expires  ` +
        '(?:never used|last used \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\dZ)\n$',
    ),
  )

  // The prefix from the list would work as well.
  const revoked = await token(environment, 'revoke', text)
  expect(revoked).toMatchObject({ code: 0, stderr: '1 token\n' })
  expect(revoked.stdout).toContain(`revoked ${text.slice(0, 11)}…  alice`)
  expect(await (await list()).json()).toMatchObject({ error: 40101 })
  expect(await tokenHere(environment, 'list')).toMatchObject({ stdout: '', stderr: '0 tokens\n' })
})

test('the list shows the lifetime and the scopes of a token', async () => {
  const environment = await emptyDatabase()
  await tokenHere(environment, 'issue', 'alice', '--ttl', '1s', '--scope', 'plants:read,plants:write')
  const { stdout } = await tokenHere(environment, 'list')
  const [, from = '', to = ''] =
    /issued (\S+) {2}expire[sd] (\S+) .* scopes plants:read,plants:write$/m.exec(stdout) ?? []
  expect(Date.parse(to) - Date.parse(from)).toBe(1_000)
})

test('all tokens of a caller are revoked, and expired tokens are marked and removed', async () => {
  const environment = await emptyDatabase()
  for (const parameters of [
    ['alice'],
    ['alice', '--ttl', '1s'],
    ['bob'],
    ['bob', '--ttl', '1s'],
    ['bob', '--ttl', '1d'],
  ])
    await tokenHere(environment, 'issue', ...parameters)
  const listed = async () => {
    const { stdout } = await tokenHere(environment, 'list')
    return Array.from(stdout.matchAll(/…  (\w+)  .*?  (never expires|expired|expires)/g), ([, ...found]) =>
      found.join(' '),
    )
  }
  await expect
    .poll(listed)
    .toEqual(['alice never expires', 'alice expired', 'bob never expires', 'bob expired', 'bob expires'])
  expect(await tokenHere(environment, 'revoke', '--caller', 'alice')).toMatchObject({ code: 0, stderr: '2 tokens\n' })
  expect(await listed()).toEqual(['bob never expires', 'bob expired', 'bob expires'])
  for (const count of ['1 token\n', '0 tokens\n'])
    expect(await tokenHere(environment, 'revoke', '--expired')).toMatchObject({ code: 0, stderr: count })
  expect(await listed()).toEqual(['bob never expires', 'bob expires'])
})

test('revoking an unknown token fails without repeating it', async () => {
  const secret = `plst_${'x'.repeat(43)}`
  const { code, stdout, stderr } = await tokenHere(await emptyDatabase(), 'revoke', secret)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^there is no token plst_xxxxxx…/)
  expect(stderr).not.toContain(secret)
  expect(await tokenHere(await emptyDatabase(), 'revoke', '--caller', 'carol')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^there is no token of carol; list/) as string,
  })
})

test('a misused command prints its error on standard error and issues no token', async () => {
  const environment = await emptyDatabase()
  const misuses: [string[], string][] = [
    [[], 'Usage: '],
    [['isue', 'alice'], 'unknown command isue\nUsage: '],
    [['issue', 'alice\nbob'], 'the caller must have 1 to 255 characters, no control characters'],
    [['list', '--ttl', '1d'], 'Usage: '],
    [['issue', 'alice', '--caller', 'alice'], 'Usage: '],
    [['revoke'], 'Usage: '],
    [['revoke', '--caller', 'alice', '--expired'], 'Usage: '],
    [['issue', 'alice', '--ttl', '30'], '--ttl must be like 90s'],
    [['issue', 'alice', '--scope', 'plants read'], '--scope must be like plants:read'],
    [['issue', 'alice', '--ttl', '1d', '--ttl=2d'], '--ttl is given twice'],
  ]
  for (const [parameters, message] of misuses) {
    const { code, stdout, stderr } = await tokenHere(environment, ...parameters)
    expect({ parameters, code, stdout }).toEqual({ parameters, code: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/^ +at /m)
  }
  expect((await tokenHere(environment, 'list')).stderr).toBe('0 tokens\n')
})

test.each([['issue', 'me'], ['list']])(
  '%s creates no database, and says how to name another',
  async (...parameters) => {
    const folder = await temporaryFolder()
    const file = join(folder, 'typo', 'plants.db')
    expect(await tokenHere({ DATABASE_URL: `sqlite:${file}` }, ...parameters)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^there is no database .*plants\.db; name another[^\n]*\n$/) as string,
    })
    expect(await readdir(folder)).toEqual([])
  },
)
