import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { prefixOf } from '../../src/auth/tokens.ts'
import { type DatabaseLocation, openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { projectFolder } from '../../scripts/measure/servers/server-process.ts'

/** A database that the servers share. */
export interface TestedDatabase {
  location: DatabaseLocation
  /** The value of `DATABASE_URL`. */
  url: string
}

/**
 * Revokes a token in another process than the servers. `onOutcome` is called as soon as it is known whether the token
 * was there, with undefined if that stays unclear.
 */
export type Revoke = (
  database: TestedDatabase,
  token: string,
  onOutcome: (isRevoked: boolean | undefined) => void,
) => Promise<void>

/** What `npm run token -- revoke` does, in this process, where it takes so little time that many requests meet it. */
export const revokeHere: Revoke = (database, token, onOutcome) =>
  withStore(database, async (store) => {
    const revoked = await store.revokeTokens(prefixOf(token))
    onOutcome(revoked === 'unavailable' ? undefined : revoked.length === 1)
  })

/** `npm run token -- revoke`. */
export const revokeByCommand: Revoke = async ({ url }, token, onOutcome) => {
  const program = join(projectFolder, 'scripts/operate/token.ts')
  const child = spawn(process.execPath, [program, 'revoke', prefixOf(token)], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 30_000,
  })
  const closed = once(child, 'close')
  const [first] = (await Promise.race([once(child.stdout, 'data'), closed])) as unknown[]
  onOutcome(first instanceof Buffer ? first.toString().startsWith('revoked') : undefined)
  await closed
}

/** Opens the database beside the servers. */
export async function withStore<Result>(
  { location }: TestedDatabase,
  run: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(location, { onFault: () => undefined })
  try {
    return await run(store)
  } finally {
    await store.close()
  }
}
