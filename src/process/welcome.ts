import { type Stats, fstatSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { stringifyJson } from 'fastify-contract/json'
import { createToken } from '../auth/tokens.ts'
import type { Config } from '../config/config.ts'
import { isLoopback } from '../config/variables.ts'
import type { NewPlant } from '../plants/plant.ts'
import type { Store } from '../store/store.ts'

/** What a start tells the person who started the server. */
export interface Welcome {
  /** Where the server listens, such as `http://127.0.0.1:3000`. */
  origin: string
  /** The base paths of the operations. */
  basePaths: readonly string[]
  /** The path of an empty database. If the path is mistyped, the data seems to be lost. */
  emptyFile: string | undefined
  /** A new token, which is shown only here. */
  token: string | undefined
}

/** The plant of the printed `curl` line. */
const firstPlant: NewPlant = { id: 1n, name: 'Monstera deliciosa', tag: 'indoor' }

/** Prints the server's address, and how to get a token, to standard output. The log goes to standard error. */
export function printWelcome({ origin, basePaths, emptyFile, token }: Welcome, log: FastifyBaseLogger): void {
  process.stdout.on('error', (error: Error) => {
    const remedy = 'get a token with npm run token -- issue CALLER'
    log.warn(`standard output cannot be written (${error.message}), so the welcome is lost; ${remedy}`)
  })
  const opens = openableOrigin(origin)
  const [url = opens, ...others] = basePaths.map((path) => opens + path)
  const fileLines = emptyFile === undefined ? [] : [`Database     ${emptyFile}, which is empty`]
  const tokenLines =
    token === undefined
      ? ['Token        npm run token -- issue CALLER']
      : [
          `Token        ${token}`,
          '             for the caller "me"; it is shown only once',
          `Try          curl -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' ` +
            `-d '${stringifyJson(firstPlant)}' ${url}/plants`,
          `             curl -H 'Authorization: Bearer ${token}' ${url}/plants`,
        ]
  const addressLines = [`Plant Store  ${[url, ...others].join(', ')}`, `Docs         ${opens}/docs`]
  process.stdout.write([...addressLines, ...fileLines, ...tokenLines, ''].join('\n'))
}

/** An origin that opens on this machine. A server listens at all addresses as 0.0.0.0 or [::]; no browser opens these. */
export function openableOrigin(origin: string): string {
  return origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** @returns the path of the database, if it is an SQLite file without rows */
export async function findEmptyFile(store: Store, { database }: Pick<Config, 'database'>): Promise<string | undefined> {
  return database.engine === 'sqlite' && (await store.isEmpty()) === true ? resolve(database.file) : undefined
}

/**
 * Issues a token for the person who starts an empty server on their own machine. Issues none into the journal, which
 * others can read.
 */
export async function issueFirstToken(store: Store, { host }: Pick<Config, 'host'>): Promise<string | undefined> {
  if (!isLoopback(host) || isStandardOutputJournal()) return undefined
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
