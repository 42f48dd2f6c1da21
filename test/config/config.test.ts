import { expect, test } from 'vitest'
import { BadConfig, type Config, loadConfig } from '../../src/config/config.ts'
import { isLoopback } from '../../src/config/variables.ts'

const limits = loadConfig({}).limits

const provider = {
  AUTH_JWKS_URL: 'https://id.example/jwks',
  AUTH_ISSUER: 'https://id.example',
  AUTH_AUDIENCE: 'plant-store',
}
const identityProvider = { jwksUrl: provider.AUTH_JWKS_URL, issuer: provider.AUTH_ISSUER, audience: 'plant-store' }

function refusalOf(environment: NodeJS.ProcessEnv): string {
  try {
    loadConfig(environment)
  } catch (error) {
    expect(error).toBeInstanceOf(BadConfig)
    const { message } = error as BadConfig
    expect(message).not.toContain('\n')
    return message
  }
  return 'accepted'
}

test.each<[string, NodeJS.ProcessEnv]>([
  ['no variable is set', {}],
  ['variables are empty', { HOST: '', PORT: '', DATABASE_URL: '', LOG_LEVEL: '', RATE_LIMIT: '', REUSE_PORT: '' }],
  ['other variables are set', { PATH: '/bin', port: '1', NODE_ENV: 'nonsense' }],
])('the defaults apply if %s', (_description, environment) => {
  expect(loadConfig(environment)).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    database: { engine: 'sqlite', file: 'data/plants.db' },
    reusePort: false,
    logLevel: 'info',
    rateLimit: undefined,
    isDevelopment: false,
    trustedProxies: undefined,
    identityProvider: undefined,
    corsOrigins: undefined,
    metrics: undefined,
    limits: {
      bodyBytes: 65_536,
      connections: 10_000,
      requestMilliseconds: 20_000,
      keepAliveMilliseconds: 72_000,
      shutdownDelayMilliseconds: 1_000,
      shutdownGraceMilliseconds: 10_000,
    },
    warnings: [],
  })
})

const severalHosts = 'postgres://me@one:5432,two:5433/plants?target_session_attrs=read-write'

test.each<[NodeJS.ProcessEnv, Partial<Config>]>([
  [{ HOST: '::1' }, { host: '::1' }],
  [{ PORT: '65535' }, { port: 65_535 }],
  [{ DATABASE_URL: 'sqlite:/my plants/é.db' }, { database: { engine: 'sqlite', file: '/my plants/é.db' } }],
  [{ DATABASE_URL: severalHosts }, { database: { engine: 'postgres', url: severalHosts } }],
  [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
  [{ REUSE_PORT: '1' }, { reusePort: true }],
  [{ BODY_LIMIT: '1073741824' }, { limits: { ...limits, bodyBytes: 1_073_741_824 } }],
  [{ REQUEST_TIMEOUT: '3600' }, { limits: { ...limits, requestMilliseconds: 3_600_000 } }],
  [{ KEEP_ALIVE_TIMEOUT: '5' }, { limits: { ...limits, keepAliveMilliseconds: 5_000 } }],
  [
    { SHUTDOWN_DELAY: '0', SHUTDOWN_GRACE: '60' },
    { limits: { ...limits, shutdownDelayMilliseconds: 0, shutdownGraceMilliseconds: 60_000 } },
  ],
  [
    { RATE_LIMIT: '2147483647', TRUST_PROXY: 'loopback, 10.0.0.0/8,2001:db8::/32' },
    { rateLimit: 2_147_483_647, trustedProxies: 'loopback, 10.0.0.0/8,2001:db8::/32' },
  ],
  [{ CORS_ORIGIN: 'https://a.example, http://b:5173' }, { corsOrigins: ['https://a.example', 'http://b:5173'] }],
  [{ METRICS_PORT: '0', METRICS_HOST: '::' }, { metrics: { host: '::', port: 0 } }],
  [provider, { identityProvider }],
  [
    { ...provider, AUTH_JWKS_URL: 'http://[::1]:8080/jwks' },
    { identityProvider: { ...identityProvider, jwksUrl: 'http://[::1]:8080/jwks' } },
  ],
  [{ METRICS_HOST: '0.0.0.0' }, { warnings: ['METRICS_HOST has no effect without METRICS_PORT'] }],
  [
    { PROT: '1', RATELIMIT: '1', LOG_LEVELS: '1', DATABASE_URI: '1', UNRELATED: '1', PATH: '/bin' },
    {
      warnings: [
        'PROT is not a variable of this service; did you mean PORT?',
        'RATELIMIT is not a variable of this service; did you mean RATE_LIMIT?',
        'LOG_LEVELS is not a variable of this service; did you mean LOG_LEVEL?',
        'DATABASE_URI is not a variable of this service; did you mean DATABASE_URL?',
      ],
    },
  ],
  [
    { TRUST_PROXY: '127.0.0.1' },
    { trustedProxies: '127.0.0.1', warnings: ['TRUST_PROXY has no effect without RATE_LIMIT'] },
  ],
  [
    { RATE_LIMIT: '1' },
    {
      rateLimit: 1,
      warnings: [
        'RATE_LIMIT is set without TRUST_PROXY: behind a proxy all clients share its address, so the ' +
          'rejected tokens of one block the others; set TRUST_PROXY to the address of the proxy',
      ],
    },
  ],
])('%j is read', (environment, change) => {
  expect(loadConfig(environment)).toEqual({ ...loadConfig({}), ...change })
})

const isInteger = (minimum: number, maximum: number) =>
  new RegExp(`^\\w+ must be an integer from ${String(minimum)} to ${String(maximum)}, not "`)
const isHost = /^\w+ must be an address or a host name, not "/
const isKeysUrl = /^AUTH_JWKS_URL must be an https: URL, or an http: URL of a loopback address$/

test.each<[string, string[], RegExp]>([
  ['HOST', ['not a host', '127.0.0.1/8', 'http://localhost', ' ', '127.0.0.1\n'], isHost],
  ['PORT', ['-1', '65536', '3000.0', '3e3', '0x50', ' 80', '080', '+80', 'NaN', '9'.repeat(20)], isInteger(0, 65_535)],
  ['BODY_LIMIT', ['0', '1073741825', '64k', 'Infinity'], isInteger(1, 1_073_741_824)],
  ['RATE_LIMIT', ['0', '2147483648', '10/s'], isInteger(1, 2_147_483_647)],
  ['REUSE_PORT', ['2', 'true', '00'], isInteger(0, 1)],
  ['MAX_CONNECTIONS', ['0', '1000001'], isInteger(1, 1_000_000)],
  ['REQUEST_TIMEOUT', ['0', '3601', '20s'], isInteger(1, 3_600)],
  ['KEEP_ALIVE_TIMEOUT', ['0', '3601', '0.5'], isInteger(1, 3_600)],
  ['SHUTDOWN_DELAY', ['-1', '3601'], isInteger(0, 3_600)],
  ['SHUTDOWN_DELAY', ['10', '11'], /^SHUTDOWN_DELAY must be less than SHUTDOWN_GRACE \(10\)$/],
  ['SHUTDOWN_GRACE', ['0', '3601'], isInteger(1, 3_600)],
  ['SHUTDOWN_GRACE', ['1'], /^SHUTDOWN_DELAY must be less than SHUTDOWN_GRACE \(1\)$/],
  ['LOG_LEVEL', ['loud', 'INFO', '30', 'info '], /^LOG_LEVEL must be one of fatal, .*, not "/],
  [
    'TRUST_PROXY',
    ['true', '10.0.0.0/33', '10.0.0.0/0', '::1/129', '::/0', '10.0.0.1,'],
    /^TRUST_PROXY must be a comma-separated list of addresses, networks such as 10\.0\.0\.0\/8, loopback/,
  ],
  [
    'CORS_ORIGIN',
    ['https://a.example/x', 'HTTPS://a.example', 'https://a.example:443', 'http://b,https://a.example/'],
    /^CORS_ORIGIN must be \* or a comma-separated list of origins such as .*, not "\S+"; write https:\/\/a\.example$/,
  ],
  ['CORS_ORIGIN', ['*,https://a.example', 'https://a.example,*'], /, not "\*"; \* stands alone$/],
  ['CORS_ORIGIN', ['a.example', 'null', 'https://a.example,'], /, not "[^"]*"$/],
  [
    'DATABASE_URL',
    [
      'sqlite:',
      'sqlite:a.db ',
      'sqlite:a\nb.db',
      'sqlite::memory:',
      'sqlite:FILE:///a.db',
      'sqlite:a?mode=ro',
      'sqlite:///a',
    ],
    /^DATABASE_URL must be sqlite:PATH with the path of a file, such as sqlite:data\/plants\.db or [^\n]*$/,
  ],
  [
    'DATABASE_URL',
    ['a.db', 'mysql://me@db/plants', 'postgres:me@db', 'postgres://me@db:port/plants'],
    /^DATABASE_URL must be sqlite:PATH or postgres:/,
  ],
  ['AUTH_JWKS_URL', ['http://id.example/a', 'http://10.0.0.1/a', 'ftp://id.example/a', 'id.example'], isKeysUrl],
  ['AUTH_ISSUER', ['an issuer'], /^AUTH_ISSUER must not contain white space, as in "/],
])('a bad %s is refused and named: %j', (name, values, message) => {
  const others = name.startsWith('AUTH_') ? provider : {}
  for (const value of values) expect(refusalOf({ ...others, [name]: value })).toMatch(message)
})

test.each(['https://me:hunter2@id.example/jwks', 'http://:hunter2@127.0.0.1/jwks'])(
  'a key URL with credentials is refused and not quoted: %s',
  (url) => {
    expect(refusalOf({ ...provider, AUTH_JWKS_URL: url })).toBe(
      'AUTH_JWKS_URL must not contain a user name or password',
    )
  },
)

test.each(['HOST', 'PORT', 'TRUST_PROXY', 'CORS_ORIGIN', 'LOG_LEVEL', 'DATABASE_URL', 'AUTH_ISSUER'])(
  'a database URL in the wrong variable is not quoted: %s',
  (name) => {
    const message = refusalOf({ ...provider, [name]: 'mysql://me:hunter2@db:port/plants, x' })
    expect(message).toContain(`${name} must `)
    expect(message).not.toContain('hunter2')
  },
)

test('an issuer is refused if its callers would not fit a PostgreSQL index', () => {
  const issuer = `https://id.example/${'a'.repeat(493)}`
  expect(loadConfig({ ...provider, AUTH_ISSUER: issuer }).identityProvider?.issuer).toBe(issuer)
  expect(refusalOf({ ...provider, AUTH_ISSUER: `${issuer}a` })).toBe('AUTH_ISSUER must have at most 512 characters')
})

test('one line names every bad variable', () => {
  const message = refusalOf({ HOST: 'a b', PORT: 'x', DATABASE_URL: 'x', AUTH_ISSUER: 'x', SHUTDOWN_DELAY: '10' })
  expect(message.split('; ')).toEqual([
    'HOST must be an address or a host name, not "a b"',
    'PORT must be an integer from 0 to 65535, not "x"',
    expect.stringMatching(/^DATABASE_URL must be /),
    'AUTH_JWKS_URL is missing: set all of AUTH_JWKS_URL, AUTH_ISSUER, AUTH_AUDIENCE, or none',
    'AUTH_AUDIENCE is missing: set all of AUTH_JWKS_URL, AUTH_ISSUER, AUTH_AUDIENCE, or none',
    'SHUTDOWN_DELAY must be less than SHUTDOWN_GRACE (10)',
  ])
})

test.each([
  [true, ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', 'localhost']],
  [false, ['0.0.0.0', '::', '128.0.0.1', 'fe80::1', '::ffff:10.0.0.1', 'localhost.example', '']],
])('whether an address is one of loopback: %j', (expected, hosts) => {
  for (const host of hosts) expect(isLoopback(host), host).toBe(expected)
})
