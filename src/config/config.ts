import { type CleanedEnv, cleanEnv } from 'envalid'
import { defaultLimits } from 'fastify-contract/limits'
import {
  addresses,
  databaseLocation,
  host,
  identifier,
  integer,
  keysUrl,
  oneOf,
  origins,
  seconds,
} from './variables.ts'

/** The environment has invalid variables. The message is one line that names each of them. */
export class BadConfig extends Error {}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Each variable with its values and its default. */
const variables = {
  HOST: host({ default: '127.0.0.1' }),
  PORT: integer(0, 65_535)({ default: 3000 }),
  DATABASE_URL: databaseLocation({ default: { engine: 'sqlite', file: 'data/plants.db' } }),
  LOG_LEVEL: oneOf(logLevels)({ default: 'info' }),
  BODY_LIMIT: integer(1, 2 ** 30)({ default: defaultLimits.bodyBytes }),
  /** Requests per minute for one caller, and rejected tokens per minute from one address. */
  RATE_LIMIT: integer(1, 2 ** 31 - 1)({ default: undefined }),
  /** Proxies whose `X-Forwarded-For` is trusted. */
  TRUST_PROXY: addresses({ default: undefined }),
  /** The identity provider whose JSON Web Tokens are accepted. */
  AUTH_JWKS_URL: keysUrl({ default: undefined }),
  AUTH_ISSUER: identifier({ default: undefined }),
  AUTH_AUDIENCE: identifier({ default: undefined }),
  /** The origins that CORS allows. */
  CORS_ORIGIN: origins({ default: undefined }),
  /** Where metrics are served to Prometheus. */
  METRICS_PORT: integer(0, 65_535)({ default: undefined }),
  METRICS_HOST: host({ default: '127.0.0.1' }),
  /** Whether other processes may listen on the same port. */
  REUSE_PORT: integer(0, 1)({ default: 0 }),
  MAX_CONNECTIONS: integer(1, 1_000_000)({ default: defaultLimits.connections }),
  REQUEST_TIMEOUT: seconds(1, 3_600)({ default: defaultLimits.requestMilliseconds }),
  KEEP_ALIVE_TIMEOUT: seconds(1, 3_600)({ default: defaultLimits.keepAliveMilliseconds }),
  SHUTDOWN_DELAY: seconds(0, 3_600)({ default: defaultLimits.shutdownDelayMilliseconds }),
  SHUTDOWN_GRACE: seconds(1, 3_600)({ default: defaultLimits.shutdownGraceMilliseconds }),
}

/** How the server runs. */
export type Config = ReturnType<typeof loadConfig>

/**
 * Reads the configuration from environment variables; an empty one counts as unset.
 *
 * @returns the configuration; `warnings` has a sentence for each variable without effect or with a mistyped name, and for bad
 *   combinations
 * @throws BadConfig
 */
export function loadConfig(environment: NodeJS.ProcessEnv) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const read = cleanEnv(given, variables, {
    reporter: ({ errors, env }) => {
      const problems = [
        ...Object.entries<Error>(errors).map(([name, { message }]) => `${name} ${message}`),
        ...missingProviderVariables(given),
        // `env` has the values that are valid.
        ...shutdownProblems(env as Partial<CleanedEnv<typeof variables>>),
      ]
      if (problems.length > 0) throw new BadConfig(problems.join('; '))
    },
  })
  const { AUTH_JWKS_URL: jwksUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = read
  return {
    host: read.HOST,
    port: read.PORT,
    database: read.DATABASE_URL,
    logLevel: read.LOG_LEVEL,
    rateLimit: read.RATE_LIMIT,
    trustedProxies: read.TRUST_PROXY,
    // missingProviderVariables rejects one or two of the three.
    identityProvider: jwksUrl === undefined ? undefined : { jwksUrl, issuer: issuer!, audience: audience! },
    corsOrigins: read.CORS_ORIGIN,
    metrics: read.METRICS_PORT === undefined ? undefined : { host: read.METRICS_HOST, port: read.METRICS_PORT },
    reusePort: read.REUSE_PORT === 1,
    limits: {
      ...defaultLimits,
      bodyBytes: read.BODY_LIMIT,
      connections: read.MAX_CONNECTIONS,
      requestMilliseconds: read.REQUEST_TIMEOUT,
      keepAliveMilliseconds: read.KEEP_ALIVE_TIMEOUT,
      shutdownDelayMilliseconds: read.SHUTDOWN_DELAY,
      shutdownGraceMilliseconds: read.SHUTDOWN_GRACE,
    },
    isDevelopment: given['NODE_ENV'] === 'development',
    warnings: warningsOf(given),
  }
}

const providerNames = ['AUTH_JWKS_URL', 'AUTH_ISSUER', 'AUTH_AUDIENCE']

/** Without issuer and audience, a token that the provider issued for another service would be accepted. */
function missingProviderVariables(given: NodeJS.ProcessEnv): string[] {
  const missing = providerNames.filter((name) => given[name] === undefined)
  return missing.length === providerNames.length
    ? []
    : missing.map((name) => `${name} is missing: set all of ${providerNames.join(', ')}, or none`)
}

function shutdownProblems({
  SHUTDOWN_DELAY: delay,
  SHUTDOWN_GRACE: grace,
}: Partial<CleanedEnv<typeof variables>>): string[] {
  return delay !== undefined && grace !== undefined && delay >= grace
    ? [`SHUTDOWN_DELAY must be less than SHUTDOWN_GRACE (${String(grace / 1_000)})`]
    : []
}

/** Variables that have an effect only together with another one. */
const dependent: Record<string, string> = { TRUST_PROXY: 'RATE_LIMIT', METRICS_HOST: 'METRICS_PORT' }

/** Whether one text becomes the other when one character is added, removed or replaced, or two neighbours swap. */
function isOneEdit(text: string, other: string): boolean {
  let start = 0
  while (start < text.length && text[start] === other[start]) start++
  let [end, otherEnd] = [text.length, other.length]
  while (end > start && otherEnd > start && text[end - 1] === other[otherEnd - 1])
    [end, otherEnd] = [end - 1, otherEnd - 1]
  const [left, otherLeft] = [text.slice(start, end), other.slice(start, otherEnd)]
  const isSwap = left.length === 2 && otherLeft === `${left.slice(1)}${left.slice(0, 1)}`
  return isSwap || Math.max(left.length, otherLeft.length) === 1
}

/** A sentence for each unknown variable that looks like a mistyped one. */
function mistypedNames(given: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(variables)
  return Object.keys(given).flatMap((name) => {
    const meant = names.includes(name) ? undefined : names.find((each) => isOneEdit(name, each))
    return meant === undefined ? [] : [`${name} is not a variable of this service; did you mean ${meant}?`]
  })
}

function warningsOf(given: NodeJS.ProcessEnv): string[] {
  const ineffective = Object.entries(dependent).filter(
    ([name, other]) => given[name] !== undefined && given[other] === undefined,
  )
  const warnings = [
    ...mistypedNames(given),
    ...ineffective.map(([name, other]) => `${name} has no effect without ${other}`),
  ]
  // The service speaks plain HTTP, so a proxy usually stands between it and clients of other machines.
  if (given['RATE_LIMIT'] !== undefined && given['TRUST_PROXY'] === undefined) {
    warnings.push(
      'RATE_LIMIT is set without TRUST_PROXY: behind a proxy all clients share its address, so the ' +
        'rejected tokens of one block the others; set TRUST_PROXY to the address of the proxy',
    )
  }
  return warnings
}
