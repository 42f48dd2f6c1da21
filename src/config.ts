import { EnvMissingError, cleanEnv, makeValidator, str } from 'envalid'
import type { DatabaseLocation } from './store/open-store.ts'

/** How the server runs. */
export interface Config {
  host: string
  port: number
  database: DatabaseLocation
  /** Whether other processes may listen on the same port. */
  reusePort: boolean
  logLevel: (typeof logLevels)[number]
  /** The largest request body, in bytes. */
  bodyLimit: number
  /** The most requests a minute for one caller; undefined when there is no limit. */
  rateLimit: number | undefined
  /** The most connections at once. */
  maxConnections: number
  /** In how many seconds a request has to arrive. */
  requestTimeout: number
  /** For how many seconds a connection may idle between two requests. */
  keepAliveTimeout: number
  /** For how many seconds the server takes new connections while it says that it is about to stop. */
  shutdownDelay: number
  /** In how many seconds after the signal to stop the server has stopped, the delay included. */
  shutdownGrace: number
}

/** An environment that the server does not start with. The message has one line that names every bad variable. */
export class BadConfig extends Error {}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/**
 * Reads the configuration from environment variables; an empty one counts as unset.
 *
 * @throws BadConfig
 */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const read = cleanEnv(
    given,
    {
      HOST: host({ default: '127.0.0.1' }),
      PORT: integer(0, 65_535)({ default: 3000 }),
      DATABASE_URL: databaseLocation({ default: { engine: 'sqlite', file: 'data/plants.db' } }),
      LOG_LEVEL: str({ choices: logLevels, default: 'info' }),
      BODY_LIMIT: integer(1, 2 ** 30)({ default: 65_536 }),
      RATE_LIMIT: integer(1, 2 ** 31 - 1)({ default: undefined }),
      REUSE_PORT: integer(0, 1)({ default: 0 }),
      MAX_CONNECTIONS: integer(1, 1_000_000)({ default: 10_000 }),
      REQUEST_TIMEOUT: integer(1, 3_600)({ default: 20 }),
      KEEP_ALIVE_TIMEOUT: integer(1, 3_600)({ default: 72 }),
      SHUTDOWN_DELAY: integer(0, 3_600)({ default: 1 }),
      SHUTDOWN_GRACE: integer(1, 3_600)({ default: 10 }),
    },
    {
      reporter: ({ errors }) => {
        const problems = Object.entries<Error>(errors).map(([name, error]) => `${name} ${error instanceof EnvMissingError ? 'is missing' : error.message}`)
        if (problems.length > 0) throw new BadConfig(problems.join('; '))
      },
    },
  )
  if (read.SHUTDOWN_DELAY >= read.SHUTDOWN_GRACE) throw new BadConfig(`SHUTDOWN_DELAY must be less than SHUTDOWN_GRACE, which is ${String(read.SHUTDOWN_GRACE)}`)
  return {
    host: read.HOST,
    port: read.PORT,
    database: read.DATABASE_URL,
    reusePort: read.REUSE_PORT === 1,
    logLevel: read.LOG_LEVEL,
    bodyLimit: read.BODY_LIMIT,
    rateLimit: read.RATE_LIMIT,
    maxConnections: read.MAX_CONNECTIONS,
    requestTimeout: read.REQUEST_TIMEOUT,
    keepAliveTimeout: read.KEEP_ALIVE_TIMEOUT,
    shutdownDelay: read.SHUTDOWN_DELAY,
    shutdownGrace: read.SHUTDOWN_GRACE,
  }
}

const host = makeValidator((text: string) => {
  if (!/^[\w.:-]+$/.test(text)) throw new Error(`must be an address or a host name, not ${JSON.stringify(text)}`)
  return text
})

function integer(minimum: number, maximum: number) {
  return makeValidator<number>((text: string) => {
    const value = /^(?:0|[1-9][0-9]*)$/.test(text) ? Number(text) : NaN
    if (!(value >= minimum && value <= maximum)) throw new Error(`must be an integer from ${String(minimum)} to ${String(maximum)}, not ${JSON.stringify(text)}`)
    return value
  })
}

const databaseLocation = makeValidator<DatabaseLocation>((text: string) => {
  const location = readDatabaseLocation(text)
  // The value may hold a password, so the message does not quote it.
  if (location === undefined) throw new Error('must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE')
  return location
})

/** Takes the URL of a store apart; undefined where it is none. */
export function readDatabaseLocation(text: string): DatabaseLocation | undefined {
  const file = /^sqlite:(.+)$/.exec(text)?.[1]
  if (file !== undefined) return { engine: 'sqlite', file }
  return /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text) ? { engine: 'postgres', url: text } : undefined
}
