import { EnvMissingError, cleanEnv } from 'envalid'
import type { IdentityProvider } from '../auth/jwt.ts'
import { addresses, databaseLocation, host, identifier, integer, keysUrl, oneOf, origins } from './variables.ts'
import { type Limits, defaultLimits } from 'fastify-contract/limits'
import type { DatabaseLocation } from '../store/open-store.ts'

/** How the server runs. */
export interface Config {
  host: string
  port: number
  database: DatabaseLocation
  /** Whether other processes may listen on the same port. */
  reusePort: boolean
  logLevel: (typeof logLevels)[number]
  /**
   * The most requests a minute for one caller, and the most refused tokens a minute from one address; undefined when
   * there is no limit.
   */
  rateLimit: number | undefined
  /** The proxies whose `X-Forwarded-For` is trusted; undefined when none is. */
  trustedProxies: string | undefined
  /** The identity provider whose JSON Web Tokens are accepted; undefined when there is none. */
  identityProvider: IdentityProvider | undefined
  /** The origins whose pages may use the service; undefined when no other origin may. */
  corsOrigins: string[] | undefined
  /** Where metrics are served to Prometheus; undefined when nothing is measured. */
  metrics: { host: string; port: number } | undefined
  limits: Limits
  /** Variables that have no effect or a bad one together with the others, a sentence for each. */
  warnings: string[]
}

/** The environment has bad variables. The message is one line that names each of them. */
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
      LOG_LEVEL: oneOf(logLevels)({ default: 'info' }),
      BODY_LIMIT: integer(1, 2 ** 30)({ default: defaultLimits.bodyBytes }),
      RATE_LIMIT: integer(1, 2 ** 31 - 1)({ default: undefined }),
      TRUST_PROXY: addresses({ default: undefined }),
      AUTH_JWKS_URL: keysUrl({ default: undefined }),
      AUTH_ISSUER: identifier({ default: undefined }),
      AUTH_AUDIENCE: identifier({ default: undefined }),
      CORS_ORIGIN: origins({ default: undefined }),
      METRICS_PORT: integer(0, 65_535)({ default: undefined }),
      METRICS_HOST: host({ default: '127.0.0.1' }),
      REUSE_PORT: integer(0, 1)({ default: 0 }),
      MAX_CONNECTIONS: integer(1, 1_000_000)({ default: defaultLimits.connections }),
      REQUEST_TIMEOUT: integer(1, 3_600)({ default: seconds(defaultLimits.requestMilliseconds) }),
      KEEP_ALIVE_TIMEOUT: integer(1, 3_600)({ default: seconds(defaultLimits.keepAliveMilliseconds) }),
      SHUTDOWN_DELAY: integer(0, 3_600)({ default: seconds(defaultLimits.shutdownDelayMilliseconds) }),
      SHUTDOWN_GRACE: integer(1, 3_600)({ default: seconds(defaultLimits.shutdownGraceMilliseconds) }),
    },
    {
      reporter: ({ errors, env }) => {
        const problems = [
          ...Object.entries<Error>(errors).map(
            ([name, error]) => `${name} ${error instanceof EnvMissingError ? 'is missing' : error.message}`,
          ),
          ...missingOfProvider(given),
          // envalid gives the values that it could read, by the variables' names.
          ...shutdownProblems(env as Partial<Record<string, unknown>>),
        ]
        if (problems.length > 0) throw new BadConfig(problems.join('; '))
      },
    },
  )
  const { AUTH_JWKS_URL: jwksUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = read
  return {
    host: read.HOST,
    port: read.PORT,
    database: read.DATABASE_URL,
    reusePort: read.REUSE_PORT === 1,
    logLevel: read.LOG_LEVEL,
    rateLimit: read.RATE_LIMIT,
    trustedProxies: read.TRUST_PROXY,
    // missingOfProvider has refused one or two of the three.
    identityProvider: jwksUrl === undefined ? undefined : { jwksUrl, issuer: issuer!, audience: audience! },
    corsOrigins: read.CORS_ORIGIN,
    metrics: read.METRICS_PORT === undefined ? undefined : { host: read.METRICS_HOST, port: read.METRICS_PORT },
    limits: {
      ...defaultLimits,
      bodyBytes: read.BODY_LIMIT,
      connections: read.MAX_CONNECTIONS,
      requestMilliseconds: read.REQUEST_TIMEOUT * 1_000,
      keepAliveMilliseconds: read.KEEP_ALIVE_TIMEOUT * 1_000,
      shutdownDelayMilliseconds: read.SHUTDOWN_DELAY * 1_000,
      shutdownGraceMilliseconds: read.SHUTDOWN_GRACE * 1_000,
    },
    warnings: warningsOf(given),
  }
}

function seconds(milliseconds: number): number {
  return milliseconds / 1_000
}

const providerNames = ['AUTH_JWKS_URL', 'AUTH_ISSUER', 'AUTH_AUDIENCE']

/** Without issuer and audience, a token that the provider issued for another service would be accepted. */
function missingOfProvider(given: NodeJS.ProcessEnv): string[] {
  const missing = providerNames.filter((name) => given[name] === undefined)
  return missing.length === providerNames.length
    ? []
    : missing.map((name) => `${name} is missing: ${providerNames.join(', ')} go together`)
}

function shutdownProblems({
  SHUTDOWN_DELAY: delay,
  SHUTDOWN_GRACE: grace,
}: Partial<Record<string, unknown>>): string[] {
  // A bad variable has no number.
  return typeof delay === 'number' && typeof grace === 'number' && delay >= grace
    ? [`SHUTDOWN_DELAY must be less than SHUTDOWN_GRACE, which is ${String(grace)}`]
    : []
}

/** Variables that have an effect only together with another one. */
const dependent: Record<string, string> = { TRUST_PROXY: 'RATE_LIMIT', METRICS_HOST: 'METRICS_PORT' }

function warningsOf(given: NodeJS.ProcessEnv): string[] {
  const vain = Object.entries(dependent).filter(
    ([name, other]) => given[name] !== undefined && given[other] === undefined,
  )
  const warnings = vain.map(([name, other]) => `${name} has no effect without ${other}`)
  // The service speaks plain HTTP, so a proxy usually stands between it and clients of other machines.
  if (given['RATE_LIMIT'] !== undefined && given['TRUST_PROXY'] === undefined) {
    warnings.push(
      'RATE_LIMIT without TRUST_PROXY: behind a proxy all clients have its address, and ' +
        'the refused tokens of one lock out the others; set TRUST_PROXY to the address of the proxy',
    )
  }
  return warnings
}
