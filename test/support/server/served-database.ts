import { join } from 'node:path'
import { stringifyJson } from 'fastify-contract/json'
import { onTestFinished } from 'vitest'
import type { DatabaseLocation } from '../../../src/store/location.ts'
import { issueTokens } from './issue-tokens.ts'
import { temporaryFolder, temporaryLocation } from './start-app.ts'
import { type Command, type ServerProcess, startProcess } from './start-process.ts'
import { newPlant } from '../plants.ts'

/** A database file with a token, for real servers. */
export interface ServedDatabase {
  file: string
  /** The value of `DATABASE_URL`. */
  url: string
  token: string
  /** Starts a server process on it. The process ends with the test. */
  serve: (environment?: Record<string, string>, command?: Command) => Promise<RunningServer>
}

export interface RunningServer extends ServerProcess {
  /** Sends a request as the token's caller. Rejects when the connection fails. */
  send: (
    method: string,
    path: string,
    body?: object,
    headers?: object,
  ) => Promise<{ status: number; headers: Headers; text: string }>
  create: (id: number) => Promise<number>
  remove: (id: number) => Promise<number>
  /** The names of all plants. `create` names a plant after its id. */
  names: () => Promise<string[]>
}

/** Makes a database file, which is removed after the test. */
export async function servedDatabase(folder?: string): Promise<ServedDatabase> {
  const file = join(folder ?? (await temporaryFolder()), 'plants.db')
  return { file, ...(await served({ engine: 'sqlite', file })) }
}

/** Puts a token into a PostgreSQL database. */
export function servedPostgres(url: string): Promise<Omit<ServedDatabase, 'file'>> {
  return served({ engine: 'postgres', url })
}

/** Makes a database on the engine of this run. It is removed after the test. */
export async function servedStore(): Promise<Omit<ServedDatabase, 'file'>> {
  return served(await temporaryLocation())
}

/** The value of `DATABASE_URL` for a location. */
export function urlOf(location: DatabaseLocation): string {
  return location.engine === 'sqlite' ? `sqlite:${location.file}` : location.url
}

async function served(location: DatabaseLocation): Promise<Omit<ServedDatabase, 'file'>> {
  const [{ token } = { token: '' }] = await issueTokens(location, ['me'])
  const url = urlOf(location)
  return {
    url,
    token,
    serve: async (environment = {}, command) => {
      const server = await startProcess({ DATABASE_URL: url, ...environment }, command)
      onTestFinished(() => server.end('SIGKILL'))
      return { ...server, ...client(server.origin, token) }
    },
  }
}

function client(origin: string, token: string): Omit<RunningServer, keyof ServerProcess> {
  async function send(method: string, path: string, body?: object, headers: object = {}) {
    const response = await fetch(origin + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: stringifyJson(body) }),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return {
    send,
    create: async (id) => (await send('POST', '/plants', newPlant({ id: BigInt(id), name: String(id) }))).status,
    remove: async (id) => (await send('DELETE', `/plants/${String(id)}`)).status,
    names: async () => (JSON.parse((await send('GET', '/plants')).text) as { name: string }[]).map(({ name }) => name),
  }
}
