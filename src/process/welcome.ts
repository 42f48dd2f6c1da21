import { type Stats, fstatSync } from 'node:fs'
import type { FastifyBaseLogger } from 'fastify'
import { createToken } from '../auth/tokens.ts'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../config/variables.ts'
import type { Store } from '../store/store.ts'

/**
 * Prints the server's address, and how to get a token, to standard output. The log goes to standard error.
 *
 * @param origin such as `http://127.0.0.1:3000`
 * @param basePaths of the operations
 * @param token a new token, which is shown only here, or undefined
 */
export function printWelcome(
  origin: string,
  basePaths: readonly string[],
  token: string | undefined,
  log: FastifyBaseLogger,
): void {
  process.stdout.on('error', (error: Error) => {
    const remedy = 'get a token with npm run token -- issue CALLER'
    log.warn(`standard output cannot be written (${error.message}), so the welcome is lost; ${remedy}`)
  })
  const [url = origin, ...others] = basePaths.map((path) => origin + path)
  const tokenLines =
    token === undefined
      ? ['Token        npm run token -- issue CALLER']
      : [
          `Token        ${token}`,
          '             for the caller "me"; it is shown only once',
          `Try          curl -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' ` +
            `-d '{"id":1,"name":"Monstera deliciosa","tag":"indoor"}' ${url}/plants`,
          `             curl -H 'Authorization: Bearer ${token}' ${url}/plants`,
        ]
  process.stdout.write(
    [`Plant Store  ${[url, ...others].join(', ')}`, `Docs         ${origin}/docs`, ...tokenLines, ''].join('\n'),
  )
}

/**
 * Issues a token for the person who starts an empty server on their own machine. Issues none for a database server,
 * which several people use, and none into the journal, which others can read.
 */
export async function issueFirstToken(store: Store, { host, database }: Config): Promise<string | undefined> {
  if (database.engine !== 'sqlite' || !isLoopback(host) || isStandardOutputJournal()) return undefined
  if (!(await store.isEmpty())) return undefined
  const { text, stored } = createToken('me', Date.now())
  return (await store.addToken(stored)) === 'added' ? text : undefined
}

/**
 * Whether standard output is systemd's journal. JOURNAL_STREAM is the device and inode of standard error if that is the
 * journal, or else of standard output (systemd.exec(5)). Child processes inherit it, even if their output goes
 * elsewhere.
 */
function isStandardOutputJournal(): boolean {
  const [output, error] = [fstatSync(1), fstatSync(2)]
  const isNamed = ({ dev, ino }: Stats) => process.env['JOURNAL_STREAM'] === `${String(dev)}:${String(ino)}`
  // Standard output and standard error may be two sockets to the journal. The variable then names the second.
  return isNamed(output) || (isNamed(error) && output.isSocket())
}
