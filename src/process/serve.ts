import { constants, openSync, writeSync } from 'node:fs'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import { type Logger, pino } from 'pino'
import { buildApp } from '../app.ts'
import { createToken } from '../auth/tokens.ts'
import { BadConfig, type Config, loadConfig } from '../config/config.ts'
import { UnservableContract, loadContract } from 'fastify-contract'
import { handlers } from '../handlers.ts'
import { openStore } from '../store/open-store.ts'
import { type Store, UnusableStore } from '../store/store.ts'
import { gatherLines } from './log-buffer.ts'
import { isLoopback } from '../config/variables.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { MetricsServer } from '../monitoring/serve-metrics.ts'
import { openFilesWarning, readLimits } from './file-limit.ts'
import { handleSignals } from './signals.ts'
import { isStandardOutputJournal, welcome } from './welcome.ts'

/** The limit of connections in the kernel's queue; the kernel may allow fewer. */
const backlog = 4_096

/** Errors of the start that are printed as one line: the remedy is outside this code. */
const expected = [BadConfig, UnservableContract, UnusableStore]

const usage = 'Usage: npm start   starts the server; docs/operating.md lists the variables that configure it'

/**
 * Starts the server that the environment describes, prints where it listens, and ends the process at the signals that
 * ask for it. A start that fails prints one line on standard error; the exit code is 1.
 */
export async function serve(): Promise<void> {
  const [argument] = process.argv.slice(2)
  if (argument === '--help') {
    console.log(usage)
    return
  }
  try {
    if (argument !== undefined) throw new BadConfig(`there is no argument ${argument}\n${usage}`)
    await start(loadConfig(process.env))
  } catch (error) {
    const isExpected = expected.some((kind) => error instanceof kind)
    console.error(
      `plant-store: ${isExpected ? (error as Error).message : String(error instanceof Error ? error.stack : error)}`,
    )
    process.exitCode = 1
  }
}

async function start(config: Config): Promise<void> {
  const { limits } = config
  const log = openLog(config.logLevel)
  for (const warning of [...config.warnings, openFilesWarning(limits.connections, readLimits())]) {
    if (warning !== undefined) log.warn(warning)
  }
  const opened: { app?: FastifyInstance; store?: Store; metricsServer?: MetricsServer } = {}
  async function close(): Promise<void> {
    await opened.app?.close()
    await opened.store?.close()
    await opened.metricsServer?.close()
  }
  const isEnding = handleSignals({ log, graceMilliseconds: limits.shutdownGraceMilliseconds, close })
  try {
    const contract = await loadContract(`${import.meta.dirname}/../..`)
    // Loaded only if configured, which saves start time and memory.
    const metrics = config.metrics && (await import('../monitoring/metrics.ts')).createMetrics()
    const onFault = (part: 'store' | 'key server') => (error: Error) => {
      metrics?.failed(part)
      log.error({ err: error }, `the ${part} is not available`)
    }
    const store = await openStore(config.database, {
      onFault: onFault('store'),
      onCommit: metrics?.committed,
      onWarning: (message) => {
        log.warn(message)
      },
    })
    opened.store = store
    metrics?.watchQueue(store.waitingWrites)
    const app = await buildApp({
      contract,
      handlers,
      store,
      log,
      rateLimit: config.rateLimit,
      trustedProxies: config.trustedProxies,
      verifyJwt:
        config.identityProvider &&
        (await import('../auth/jwt.ts')).createJwtVerifier(config.identityProvider, Date.now, onFault('key server')),
      corsOrigins: config.corsOrigins,
      observer: metrics,
      limits,
    })
    // Nothing more is opened after a signal.
    if (isEnding()) return
    opened.app = app
    if (config.metrics && metrics) {
      opened.metricsServer = await listenForMetrics(metrics, config.metrics, log)
      log.info(`metrics at ${opened.metricsServer.url}`)
    }
    await listen(app, config)
    if (!isEnding()) print(welcome(app.listeningOrigin, await firstToken(store, config)), log)
  } catch (error) {
    // The process is ending, so the rest of the start may fail.
    if (isEnding()) return
    await close()
    throw error
  }
}

/**
 * Fields that are not logged. PostgreSQL puts the row that breaks a constraint into an error's detail, and the values
 * of a statement into its context (postgresql.org/docs/18/runtime-config-logging.html,
 * log_parameter_max_length_on_error).
 */
const secretFields = ['req.headers.authorization', 'headers.authorization', 'err.detail', 'err.where']

/** Opens the log: standard error, in batches of 4 KiB or 100 ms. Lines that cannot be written are counted. */
function openLog(level: Config['logLevel']): Logger {
  const descriptor = descriptorOfLog()
  const buffer = gatherLines(
    (bytes) => writeSync(descriptor, bytes),
    (lost, cause) => {
      log.error({ lost }, `log lines were lost, because standard error could not be written: ${cause.message}`)
    },
  )
  const log = pino({ level, redact: secretFields }, buffer)
  process.once('exit', buffer.end)
  return log
}

/** Opens a descriptor of standard error on which a write never blocks. */
function descriptorOfLog(): number {
  // Node makes a pipe or a socket non-blocking when its stream is first used, but not a terminal.
  if (!process.stderr.isTTY) return 2
  try {
    return openSync('/dev/stderr', constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK)
  } catch {
    // Another user's terminal.
    return 2
  }
}

/** Prints to standard output. The log goes to standard error. */
function print(text: string, log: Logger): void {
  process.stdout.on('error', (error: Error) => {
    const lost = 'what the start says was not printed; a token: npm run token -- issue CALLER'
    log.warn(`standard output cannot be written (${error.message}): ${lost}`)
  })
  process.stdout.write(`${text}\n`)
}

async function listen(app: Awaited<ReturnType<typeof buildApp>>, { host, port, reusePort }: Config): Promise<void> {
  // Fastify passes its options to Node; its type lacks this one.
  const options: FastifyListenOptions & { reusePort: boolean } = {
    host,
    port,
    reusePort,
    backlog,
    listenTextResolver: (address) => `listening at ${address}`,
  }
  await app.listen(options).catch((error: unknown) => {
    throw cannotListen(`HOST ${host}, PORT ${String(port)}`, error)
  })
}

async function listenForMetrics(
  metrics: Metrics,
  { host, port }: NonNullable<Config['metrics']>,
  log: Logger,
): Promise<MetricsServer> {
  const { serveMetrics } = await import('../monitoring/serve-metrics.ts')
  const onFault = (error: unknown) => {
    log.error({ err: error }, 'the metrics cannot be read')
  }
  return serveMetrics(metrics, { host, port }, onFault).catch((error: unknown) => {
    throw cannotListen(`METRICS_HOST ${host}, METRICS_PORT ${String(port)}`, error)
  })
}

/** Reasons and remedies by the error codes of listen(2), bind(2) and getaddrinfo(3). */
const listenFaults: Partial<Record<string, string>> = {
  EADDRINUSE: 'the port is taken; stop the program that has it, or choose another port',
  EACCES: 'the port needs more rights; choose one above 1023',
  EADDRNOTAVAIL: 'this machine does not have the address, or not yet',
  ENOTFOUND: 'the name has no address; name an address of this machine',
  EAI_AGAIN: 'the name server does not answer',
}

function cannotListen(place: string, error: unknown): BadConfig {
  const { code } = error as NodeJS.ErrnoException
  return new BadConfig(`cannot listen at ${place}: ${listenFaults[code ?? ''] ?? String(error)}`, { cause: error })
}

/**
 * Issues a token for the person who starts an empty server on their own machine. None is issued for a database server,
 * which serves more than one person, nor into the journal, which others can read.
 */
async function firstToken(store: Store, { host, database }: Config): Promise<string | undefined> {
  if (database.engine !== 'sqlite' || !isLoopback(host)) return undefined
  if (isStandardOutputJournal(process.env['JOURNAL_STREAM'])) return undefined
  if (!(await store.isEmpty())) return undefined
  const { text, stored } = createToken('me', Date.now())
  return (await store.addToken(stored)) === 'added' ? text : undefined
}
