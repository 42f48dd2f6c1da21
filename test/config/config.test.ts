import { describe, expect, it } from 'vitest'
import { BadConfig, type Config, loadConfig } from '../../src/config/config.ts'
import { defaultLimits } from '../../packages/fastify-contract/src/server/limits.ts'

const limits = {
  ...defaultLimits,
  bodyBytes: 65_536,
  connections: 10_000,
  requestMilliseconds: 20_000,
  keepAliveMilliseconds: 72_000,
  shutdownDelayMilliseconds: 1_000,
  shutdownGraceMilliseconds: 10_000,
}

const defaults = {
  host: '127.0.0.1',
  port: 3000,
  database: { engine: 'sqlite', file: 'data/plants.db' },
  reusePort: false,
  logLevel: 'info',
  rateLimit: undefined,
  trustedProxies: undefined,
  identityProvider: undefined,
  corsOrigins: undefined,
  metrics: undefined,
  limits,
  warnings: [],
}

const provider = {
  AUTH_JWKS_URL: 'https://id.example/jwks',
  AUTH_ISSUER: 'https://id.example',
  AUTH_AUDIENCE: 'plant-store',
}

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

describe('loadConfig', () => {
  it('gives the defaults where nothing is set, or nothing but empty text', () => {
    expect(loadConfig({})).toEqual(defaults)
    expect(
      loadConfig({
        HOST: '',
        PORT: '',
        DATABASE_URL: '',
        LOG_LEVEL: '',
        BODY_LIMIT: '',
        RATE_LIMIT: '',
        REUSE_PORT: '',
      }),
    ).toEqual(defaults)
  })

  it('ignores the variables that are not its own', () => {
    expect(loadConfig({ PATH: '/bin', port: '1', NODE_ENV: 'nonsense' })).toEqual(defaults)
  })

  it.each<[NodeJS.ProcessEnv, Partial<Config>]>([
    [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
    [{ HOST: '::1' }, { host: '::1' }],
    [{ HOST: 'plants.example' }, { host: 'plants.example' }],
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: '65535' }, { port: 65_535 }],
    [{ DATABASE_URL: 'sqlite:plants.db' }, { database: { engine: 'sqlite', file: 'plants.db' } }],
    [
      { DATABASE_URL: 'sqlite:/var/lib/my plants/é.db' },
      { database: { engine: 'sqlite', file: '/var/lib/my plants/é.db' } },
    ],
    [
      { DATABASE_URL: 'postgres://me:secret@127.0.0.1:5432/plants' },
      { database: { engine: 'postgres', url: 'postgres://me:secret@127.0.0.1:5432/plants' } },
    ],
    [
      { DATABASE_URL: 'postgres://me@one:5432,two:5433/plants?target_session_attrs=read-write' },
      {
        database: { engine: 'postgres', url: 'postgres://me@one:5432,two:5433/plants?target_session_attrs=read-write' },
      },
    ],
    [
      { DATABASE_URL: 'postgresql://127.0.0.1/plants' },
      { database: { engine: 'postgres', url: 'postgresql://127.0.0.1/plants' } },
    ],
    ...(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const).map(
      (level): [NodeJS.ProcessEnv, Partial<Config>] => [{ LOG_LEVEL: level }, { logLevel: level }],
    ),
    [{ BODY_LIMIT: '1' }, { limits: { ...limits, bodyBytes: 1 } }],
    [{ MAX_CONNECTIONS: '1' }, { limits: { ...limits, connections: 1 } }],
    [{ REQUEST_TIMEOUT: '3600' }, { limits: { ...limits, requestMilliseconds: 3_600_000 } }],
    [{ KEEP_ALIVE_TIMEOUT: '5' }, { limits: { ...limits, keepAliveMilliseconds: 5_000 } }],
    [{ SHUTDOWN_DELAY: '0' }, { limits: { ...limits, shutdownDelayMilliseconds: 0 } }],
    [
      { SHUTDOWN_DELAY: '59', SHUTDOWN_GRACE: '60' },
      { limits: { ...limits, shutdownDelayMilliseconds: 59_000, shutdownGraceMilliseconds: 60_000 } },
    ],
    [{ BODY_LIMIT: '1073741824' }, { limits: { ...limits, bodyBytes: 1_073_741_824 } }],
    [
      { RATE_LIMIT: '1' },
      {
        rateLimit: 1,
        warnings: [
          'RATE_LIMIT without TRUST_PROXY: behind a proxy all clients have its address, ' +
            'and the refused tokens of one lock out the others; set TRUST_PROXY to the address of the proxy',
        ],
      },
    ],
    [
      { RATE_LIMIT: '2147483647', TRUST_PROXY: '::1' },
      { rateLimit: 2_147_483_647, trustedProxies: '::1' },
    ],
    [{ REUSE_PORT: '1' }, { reusePort: true }],
    [{ REUSE_PORT: '0' }, { reusePort: false }],
    [
      { RATE_LIMIT: '60', TRUST_PROXY: 'loopback, 10.0.0.0/8,2001:db8::/32' },
      { rateLimit: 60, trustedProxies: 'loopback, 10.0.0.0/8,2001:db8::/32' },
    ],
    [
      { CORS_ORIGIN: 'https://plants.example, http://localhost:5173' },
      { corsOrigins: ['https://plants.example', 'http://localhost:5173'] },
    ],
    [{ CORS_ORIGIN: '*' }, { corsOrigins: ['*'] }],
    [{ METRICS_PORT: '9464' }, { metrics: { host: '127.0.0.1', port: 9464 } }],
    [{ METRICS_PORT: '0', METRICS_HOST: '::' }, { metrics: { host: '::', port: 0 } }],
    [
      provider,
      {
        identityProvider: { jwksUrl: 'https://id.example/jwks', issuer: 'https://id.example', audience: 'plant-store' },
      },
    ],
    [
      { ...provider, AUTH_JWKS_URL: 'http://[::1]:8080/jwks' },
      {
        identityProvider: { jwksUrl: 'http://[::1]:8080/jwks', issuer: 'https://id.example', audience: 'plant-store' },
      },
    ],
    [{ METRICS_HOST: '0.0.0.0' }, { warnings: ['METRICS_HOST has no effect without METRICS_PORT'] }],
    [
      { TRUST_PROXY: '127.0.0.1' },
      { trustedProxies: '127.0.0.1', warnings: ['TRUST_PROXY has no effect without RATE_LIMIT'] },
    ],
  ])('reads %j', (environment, change) => {
    expect(loadConfig(environment)).toEqual({ ...defaults, ...change })
  })

  it.each([
    [
      'HOST',
      ['not a host', '127.0.0.1/8', 'http://localhost', ' ', '127.0.0.1\n'],
      /^HOST must be an address or a host name, not "/,
    ],
    [
      'PORT',
      ['-1', '65536', '3000.0', '3e3', '0x50', ' 80', '080', '+80', 'http', 'NaN', '99999999999999999999'],
      /^PORT must be an integer from 0 to 65535, not "/,
    ],
    ['LOG_LEVEL', ['loud', 'INFO', '30', 'info '], /^LOG_LEVEL .*(?:fatal|info)/],
    [
      'BODY_LIMIT',
      ['0', '-1', '1073741825', '64k', '1e6', '0.5', 'Infinity'],
      /^BODY_LIMIT must be an integer from 1 to 1073741824, not "/,
    ],
    [
      'RATE_LIMIT',
      ['0', '-5', '2147483648', '10/s', 'none', '1.5'],
      /^RATE_LIMIT must be an integer from 1 to 2147483647, not "/,
    ],
    ['REUSE_PORT', ['2', 'true', 'yes', '-1', '00'], /^REUSE_PORT must be an integer from 0 to 1, not "/],
    ['MAX_CONNECTIONS', ['0', '1000001', 'many'], /^MAX_CONNECTIONS must be an integer from 1 to 1000000, not "/],
    ['REQUEST_TIMEOUT', ['0', '3601', '20s'], /^REQUEST_TIMEOUT must be an integer from 1 to 3600, not "/],
    ['KEEP_ALIVE_TIMEOUT', ['0', '3601', '0.5'], /^KEEP_ALIVE_TIMEOUT must be an integer from 1 to 3600, not "/],
    ['SHUTDOWN_DELAY', ['-1', '3601', 'soon'], /^SHUTDOWN_DELAY must be an integer from 0 to 3600, not "/],
    [
      'SHUTDOWN_GRACE',
      ['0', '3601', '1'],
      /^SHUTDOWN_(?:GRACE must be an integer from 1 to 3600, |DELAY must be less than SHUTDOWN_GRACE, which is 1$)/,
    ],
    [
      'TRUST_PROXY',
      ['true', '1', '10.0.0.0/33', '::1/129', 'proxy.example', '10.0.0.1,', '*'],
      /^TRUST_PROXY must be addresses, networks such as 10\.0\.0\.0\/8, or loopback/,
    ],
    [
      'CORS_ORIGIN',
      [
        'plants.example',
        'https://plants.example/',
        'https://a.example,*',
        'https://a.example,',
        'null',
        'https://*.example/x',
      ],
      /^CORS_ORIGIN must be origins such as https:\/\/plants\.example, separated by commas, or \* alone, not "/,
    ],
    ['METRICS_PORT', ['-1', '65536', 'on'], /^METRICS_PORT must be an integer from 0 to 65535, not "/],
    ['METRICS_HOST', ['not a host'], /^METRICS_HOST must be an address or a host name, not "/],
    [
      'DATABASE_URL',
      [
        'plants.db',
        'sqlite:',
        'sqlite',
        'mysql://me:secret@db/plants',
        'postgres:me:secret@db',
        'postgres://me:secret@db:port/plants',
        'postgres://me:secret@db:5432,other:port/plants',
        'SQLITE:plants.db',
        ' sqlite:plants.db',
        'sqlite:plants.db ',
        'sqlite: plants.db',
        'sqlite: ',
        'sqlite::memory:',
      ],
      /^DATABASE_URL must be sqlite:PATH or postgres:/,
    ],
  ])('refuses a bad %s and names it', (name, values, message) => {
    for (const value of values) expect(refusalOf({ [name]: value })).toMatch(message)
  })

  it.each(['http://id.example/jwks', 'http://10.0.0.1/jwks', 'ftp://id.example/jwks', 'id.example/jwks', 'https://'])(
    'takes keys over TLS alone, or from this machine: not from %s',
    (url) => {
      expect(refusalOf({ ...provider, AUTH_JWKS_URL: url })).toBe(
        'AUTH_JWKS_URL must be an https: URL, or an http: URL of this machine',
      )
    },
  )

  it.each([
    'https://me:hunter2@id.example/jwks',
    'https://hunter2@id.example/jwks',
    'http://:hunter2@127.0.0.1/jwks',
    'http://me:hunter2@id.example/jwks',
  ])('takes no URL of keys with credentials, and never quotes them: %s', (url) => {
    const message = refusalOf({ ...provider, AUTH_JWKS_URL: url })
    expect(message).toMatch(
      /^AUTH_JWKS_URL must (?:have neither a user name nor a password|be an https: URL, or .* of this machine)$/,
    )
  })

  it.each([
    'HOST',
    'PORT',
    'BODY_LIMIT',
    'RATE_LIMIT',
    'TRUST_PROXY',
    'CORS_ORIGIN',
    'METRICS_PORT',
    'METRICS_HOST',
    'SHUTDOWN_GRACE',
    'LOG_LEVEL',
  ])('never quotes a URL with a password that was meant for another variable: %s', (name) => {
    const message = refusalOf({ [name]: 'https://me:hunter2@plants.example' })
    expect(message).toContain(`${name} must be `)
    expect(message).toContain('which is not shown because it may hold a password')
    expect(message).not.toContain('hunter2')
  })

  it.each(['AUTH_ISSUER', 'AUTH_AUDIENCE', 'DATABASE_URL'])('quotes none with white space either: %s', (name) => {
    expect(refusalOf({ ...provider, [name]: 'https://me:hunter2@plants.example x' })).not.toContain('hunter2')
  })

  it('takes no issuer with which a caller would not fit into an index of PostgreSQL', () => {
    const issuer = `https://id.example/${'a'.repeat(493)}`
    expect(loadConfig({ ...provider, AUTH_ISSUER: issuer }).identityProvider?.issuer).toBe(issuer)
    expect(refusalOf({ ...provider, AUTH_ISSUER: `${issuer}a` })).toBe('AUTH_ISSUER must have at most 512 characters')
  })

  it.each(Object.keys(provider))('takes no identity provider without its %s', (name) => {
    expect(refusalOf({ ...provider, [name]: '' })).toBe(
      `${name} is missing: AUTH_JWKS_URL, AUTH_ISSUER, AUTH_AUDIENCE go together`,
    )
  })

  it('names every bad variable in its one line', () => {
    const message = refusalOf({
      HOST: 'a b',
      PORT: 'x',
      DATABASE_URL: 'x',
      LOG_LEVEL: 'x',
      BODY_LIMIT: 'x',
      RATE_LIMIT: 'x',
      REUSE_PORT: 'x',
      AUTH_ISSUER: 'x',
      SHUTDOWN_DELAY: '10',
    })
    expect(message.split('; ').map((problem) => problem.split(' ')[0])).toEqual([
      'HOST',
      'PORT',
      'DATABASE_URL',
      'LOG_LEVEL',
      'BODY_LIMIT',
      'RATE_LIMIT',
      'REUSE_PORT',
      'AUTH_JWKS_URL',
      'AUTH_AUDIENCE',
      'SHUTDOWN_DELAY',
    ])
  })

  it.each(['mysql://me:hunter2@db/plants', 'postgres://me:hunter2@db:port/plants', 'hunter2'])(
    'never quotes a DATABASE_URL, which may hold a password: %s',
    (url) => {
      expect(refusalOf({ DATABASE_URL: url, PORT: 'x' })).not.toContain('hunter2')
    },
  )
})
