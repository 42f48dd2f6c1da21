import { createToken, isIssuable, prefixOf, readScopes, readTtl } from '../src/auth/tokens.ts'
import { BadConfig, loadConfig } from '../src/config/config.ts'
import { openStore } from '../src/store/open-store.ts'
import { assertExists } from '../src/store/sqlite/schema.ts'
import { type Store, type StoredToken, type TokenSelection, UnusableStore } from '../src/store/store.ts'
import { UsageError, readArguments, runCommand } from './command.ts'

const usage = `Usage: npm run token -- issue CALLER [--ttl 30d] [--scope plants:read,plants:write]
                                        prints a new token, alone on standard output; without --scope it has all rights
       npm run token -- list            lists the tokens: prefix, caller, issued, expiry, last use, scopes if limited
       npm run token -- revoke PREFIX   revokes a token; PREFIX is as listed, or the whole token
       npm run token -- revoke --caller CALLER
                                        revokes all tokens of a caller
       npm run token -- revoke --expired
                                        removes the tokens that have expired`

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
    options: {
      ttl: { type: 'string' },
      scope: { type: 'string' },
      caller: { type: 'string' },
      expired: { type: 'boolean' },
    },
  })
  const [command, argument, ...rest] = positionals
  const { ttl, scope, caller, expired } = values
  const selections: TokenSelection[] = []
  if (argument !== undefined) selections.push({ prefix: prefixOf(argument) })
  if (caller !== undefined) selections.push({ caller })
  if (expired !== undefined) selections.push({ expiredBy: Date.now() })
  const [selection, ...others] = selections
  const isForIssue = ttl !== undefined || scope !== undefined
  const isForRevoke = caller !== undefined || expired !== undefined
  if (rest.length === 0 && others.length === 0) {
    if (command === 'issue' && argument !== undefined && !isForRevoke)
      return (store) => issue(store, argument, { ttl, scope })
    if (command === 'list' && selection === undefined && !isForIssue) return list
    if (command === 'revoke' && selection !== undefined && !isForIssue) return (store) => revoke(store, selection)
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
  console.error(countOf(tokens))
}

async function revoke(store: Store, selection: TokenSelection): Promise<void> {
  const revoked = await store.revokeTokens(selection)
  if (revoked === 'unavailable') throw new UsageError('the store cannot be written now; no token was revoked')
  // Without an expired token there is nothing to do.
  if (revoked.length === 0 && !('expiredBy' in selection)) {
    const wanted = 'prefix' in selection ? `token ${selection.prefix}…` : `token of ${selection.caller}`
    throw new UsageError(`there is no ${wanted}; list the tokens with npm run token -- list`)
  }
  for (const token of revoked) console.log(`revoked ${describe(token)}`)
  console.error(countOf(revoked))
}

function countOf({ length }: StoredToken[]): string {
  return `${String(length)} ${length === 1 ? 'token' : 'tokens'}`
}

function describe({ prefix, caller, issuedAt, expiresAt, lastUsedAt, scope }: StoredToken): string {
  const expiry =
    expiresAt === undefined
      ? 'never expires'
      : `${expiresAt <= Date.now() ? 'expired' : 'expires'} ${new Date(expiresAt).toISOString()}`
  const use =
    lastUsedAt === undefined
      ? 'never used'
      : `last used ${new Date(lastUsedAt).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`
  const scopes = scope === undefined ? '' : `  scopes ${scope.replaceAll(' ', ',')}`
  return `${prefix}…  ${caller}  issued ${new Date(issuedAt).toISOString()}  ${expiry}  ${use}${scopes}`
}

await runCommand(run, BadConfig, UnusableStore)
