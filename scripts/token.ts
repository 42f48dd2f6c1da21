import { createToken, isIssuable, prefixOf, readScopes, readTtl } from '../src/auth/tokens.ts'
import { BadConfig, loadConfig } from '../src/config/config.ts'
import { openStore } from '../src/store/open-store.ts'
import { assertExists } from '../src/store/sqlite/schema.ts'
import { type Store, type StoredToken, UnusableStore } from '../src/store/store.ts'
import { UsageError, readArguments, runCommand } from './command.ts'

const usage = `Usage: npm run token -- issue CALLER [--ttl 30d] [--scope plants:read,plants:write]
                                        prints a new token, alone on standard output; without --scope it has all rights
       npm run token -- list            lists the tokens: prefix, caller, issued, expiry, last use, scopes if limited
       npm run token -- revoke PREFIX   revokes a token; PREFIX is as listed, or the whole token`

type Act = (store: Store) => Promise<void>

const commands = ['issue', 'list', 'revoke']

async function run(): Promise<void> {
  const act = readCommand()
  const { database } = loadConfig(process.env)
  if (database.engine === 'sqlite') assertExists(database.file)
  const store = await openStore(database, {
    onFault: (error) => {
      console.error(error.message)
    },
    onWarning: console.error,
  })
  try {
    await act(store)
  } finally {
    await store.close()
  }
}

/** @throws UsageError */
function readCommand(): Act {
  const { positionals, values } = readArguments(usage, {
    allowPositionals: true,
    options: { ttl: { type: 'string' }, scope: { type: 'string' } },
  })
  const [command, argument, ...rest] = positionals
  if (command === 'issue' && argument !== undefined && rest.length === 0)
    return (store) => issue(store, argument, values)
  if (Object.keys(values).length === 0 && rest.length === 0) {
    if (command === 'list' && argument === undefined) return list
    if (command === 'revoke' && argument !== undefined) return (store) => revoke(store, argument)
  }
  const isUnknown = command !== undefined && !commands.includes(command)
  throw new UsageError(isUnknown ? `unknown command ${command}\n${usage}` : usage)
}

interface IssueOptions {
  ttl?: string | undefined
  scope?: string | undefined
}

async function issue(store: Store, caller: string, { ttl, scope }: IssueOptions): Promise<void> {
  const lifetime = ttl === undefined ? undefined : readTtl(ttl)
  if (ttl !== undefined && lifetime === undefined)
    throw new UsageError(`--ttl must be like 90s, 15m, 12h or 30d, not ${JSON.stringify(ttl)}`)
  const scopes = scope === undefined ? undefined : readScopes(scope)
  if (scope !== undefined && scopes === undefined)
    throw new UsageError(`--scope must be like plants:read,plants:write, not ${JSON.stringify(scope)}`)
  if (!isIssuable(caller))
    throw new UsageError(
      'the caller must have 1 to 255 characters, no control characters, and must not begin with jwt:, ' +
        'the prefix for JSON Web Tokens',
    )
  const { text, stored } = createToken(caller, Date.now(), lifetime, scopes)
  if ((await store.addToken(stored)) === 'unavailable')
    throw new UsageError('the store cannot be written now; no token was issued')
  console.log(text)
}

async function list(store: Store): Promise<void> {
  const tokens = await store.listTokens()
  if (tokens === 'unavailable') throw new UsageError('the store cannot be read now')
  for (const token of tokens) console.log(describe(token))
  console.error(`${String(tokens.length)} ${tokens.length === 1 ? 'token' : 'tokens'}`)
}

async function revoke(store: Store, prefix: string): Promise<void> {
  const revoked = await store.revokeTokens(prefixOf(prefix))
  if (revoked === 'unavailable') throw new UsageError('the store cannot be written now; no token was revoked')
  if (revoked.length === 0)
    throw new UsageError(`there is no token ${prefixOf(prefix)}…; list the tokens with npm run token -- list`)
  for (const token of revoked) console.log(`revoked ${describe(token)}`)
}

function describe({ prefix, caller, issuedAt, expiresAt, lastUsedAt, scope }: StoredToken): string {
  const expiry = expiresAt === undefined ? 'never expires' : `expires ${new Date(expiresAt).toISOString()}`
  const use =
    lastUsedAt === undefined
      ? 'never used'
      : `last used ${new Date(lastUsedAt).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`
  const scopes = scope === undefined ? '' : `  scopes ${scope.replaceAll(' ', ',')}`
  return `${prefix}…  ${caller}  issued ${new Date(issuedAt).toISOString()}  ${expiry}  ${use}${scopes}`
}

await runCommand(run, BadConfig, UnusableStore)
