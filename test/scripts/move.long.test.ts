import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createToken } from '../../src/auth/tokens.ts'
import type { DatabaseLocation } from '../../src/store/location.ts'
import { servedDatabase, servedPostgres, urlOf } from '../support/server/served-database.ts'
import { runScript, startProcess } from '../support/server/start-process.ts'
import {
  contentOf,
  directions,
  fill,
  fillWithMany,
  locations,
  move,
  postgresLocation,
  sqliteLocation,
  startMove,
  using,
} from './moved-stores.ts'
import { storedPlant } from '../support/plants.ts'

test.for(directions)('no server starts on the target of a killed move from %s to %s', async ([from, to]) => {
  const [source, target] = [await locations[from](), await locations[to]()]
  await using(source, fillWithMany)
  const moving = await startMove(source, target)
  await moving.end('SIGKILL')
  expect(moving.stdout()).toBe('')
  const refusal = /has only a part of the data: a move into it did not finish; run npm run move again/
  await expect(startProcess({ DATABASE_URL: urlOf(target) })).rejects.toThrow(refusal)
  await expect(using(target, contentOf)).rejects.toThrow(refusal)
  const { code, stdout } = await move(source, target)
  expect(stdout).toMatch(/^resumed {3}after \d+,\d{3} plants that /)
  expect(stdout).toMatch(/^verified {2}plants: 20,000 /m)
  expect(code).toBe(0)
  expect(await using(target, contentOf)).toEqual(await using(source, contentOf))
})

test.for(directions)('a move from %s to %s is refused while a server runs on either', async ([from, to]) => {
  const [source, target] = [await locations[from](), await locations[to]()]
  for (const [served, role] of [
    [source, 'source'],
    [target, 'target'],
  ] as const) {
    const { serve } = await (served.engine === 'sqlite'
      ? servedDatabase(dirname(served.file))
      : servedPostgres(served.url))
    const server = await serve()
    const refusal =
      served.engine === 'sqlite'
        ? `^${served.file} is open in process ${String(server.pid)}, as .*; stop the server first; nothing was changed\n$`
        : `^session \\d+ \\(test_[0-9a-f]{16}, user .*\\) uses the ${role}: stop the servers, and run the command again\n$`
    expect(await move(source, target)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(refusal)) as string,
    })
    if (role === 'source' && target.engine === 'sqlite') expect(existsSync(target.file)).toBe(false)
    await server.end()
  }
})

test.for(directions)(
  'a move repeated after the source has changed copies the changes, %s to %s',
  async ([from, to]) => {
    const [source, target] = [await locations[from](), await locations[to]()]
    await using(source, fill)
    await using(source, fillWithMany)
    const moving = await startMove(source, target)
    await moving.end('SIGKILL')
    await using(source, async (store) => {
      expect(await store.delete('many', 100n)).toBe('deleted')
      expect(await store.create('ME', storedPlant({ id: 100n, name: 'Ficus' }))).toBe('created')
    })
    expect(await move(source, target)).toMatchObject({ code: 0, stdout: expect.stringContaining('verified') as string })
    expect(await using(target, contentOf)).toEqual(await using(source, contentOf))
  },
)

test.for(directions)('no token is revoked in the source while a move copies it, %s to %s', async ([from, to]) => {
  const [source, target] = [await locations[from](), await locations[to]()]
  const { text, stored } = createToken('me', 1_795_000_000_000)
  await using(source, (store) => store.addToken(stored))
  await using(source, fillWithMany)
  const moving = await startMove(source, target)
  moving.child.kill('SIGSTOP')
  const revoke = (location: DatabaseLocation) =>
    runScript('scripts/token.ts', ['revoke', text], { DATABASE_URL: urlOf(location) })
  expect(await revoke(source)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^the store cannot be written now; no token was revoked|: another process has locked it, as a migration does; try/m,
    ) as string,
  })
  moving.child.kill('SIGCONT')
  expect(await moving.ended).toBe(0)
  expect(await revoke(target)).toMatchObject({ code: 0 })
})

test('a server that starts on a source while it is copied keeps the move from its end', async () => {
  const [from, to] = [await postgresLocation(), await sqliteLocation()]
  await using(from, fillWithMany)
  const moving = await startMove(from, to)
  moving.child.kill('SIGSTOP')
  const server = await startProcess({ DATABASE_URL: urlOf(from) })
  onTestFinished(() => server.end('SIGKILL'))
  moving.child.kill('SIGCONT')
  expect(await moving.ended).toBe(1)
  expect(moving.stdout()).toBe('')
  expect(moving.stderr()).toMatch(/^session \d+ .* uses the source: stop the servers, and run the command again\n$/)
  await expect(using(to, contentOf)).rejects.toThrow(/a move into it did not finish/)
})
