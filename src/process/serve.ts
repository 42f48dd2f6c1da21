import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance, FastifyListenOptions } from 'fastify'
import { UnservableContract } from 'fastify-contract'
import { basePathsOf, documentOf, operationsOf } from 'fastify-contract/document'
import { contract } from '../../generated/contract.ts'
import { buildApp } from '../app.ts'
import { BadConfig, type Config, loadConfig } from '../config/config.ts'
import { handlers } from '../handlers.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import { openStore } from '../store/open-store.ts'
import { type Store, UnusableStore } from '../store/store.ts'
import { assertKinds, findUnfitRows } from './check-rows.ts'
import { openLog } from './open-log.ts'
import { createReporter } from './report-faults.ts'
import { handleSignals } from './signals.ts'
import { findEmptyFile, issueFirstToken, printWelcome } from './welcome.ts'

/** The limit of connections in the kernel's queue; the kernel may allow fewer. */
const backlog = 4_096

/** How long after the welcome a sample of rows is compared with the contract. */
const rowsCheckMilliseconds = 1_000

/** Start-up errors that are printed without a stack: the remedy is outside this code. */
const expected = [BadConfig, UnservableContract, UnusableStore]

const usage = 'Usage: npm start   starts the server; docs/operating.md lists the variables that configure it'

/**
 * Starts the server that the environment configures, prints its address, and stops it on signals. A failed start prints
 * one line on standard error and exits with code 1.
 */
export async function serve(): Promise<void> {
  const [argument] = process.argv.slice(2)
  if (argument === '--help') {
    console.log(usage)
    return
  }
  try {
    if (argument !== undefined) throw new BadConfig(`unknown argument ${argument}\n${usage}`)
    await start(loadConfig(process.env))
  } catch (error) {
    const isExpected = expected.some((kind) => error instanceof kind)
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    console.error(`plant-store: ${String(isExpected ? message : stack)}`)
    process.exitCode = 1
  }
}

async function start(config: Config): Promise<void> {
  const { limits } = config
  const log = openLog(config.logLevel)
  for (const warning of [...config.warnings, ...openFilesWarnings(limits.connections)]) log.warn(warning)
  // Closes the app first, then the store, then the metrics. Takes nothing more after that.
  const opened = new AsyncDisposableStack()
  const close = () => opened.disposeAsync()
  const isStopping = () => opened.disposed
  handleSignals({ log, graceMilliseconds: limits.shutdownGraceMilliseconds, close })
  try {
    const { app, store } = await open(config, log, opened)
    await listen(app, config)
    if (isStopping()) return
    const emptyFile = await findEmptyFile(store, config)
    const token = emptyFile === undefined ? undefined : await issueFirstToken(store, config)
    printWelcome({ origin: app.listeningOrigin, basePaths: basePathsOf(documentOf(contract)), emptyFile, token }, log)
    // The first requests need not wait for it.
    await sleep(rowsCheckMilliseconds)
    if (isStopping()) return
    const failed = (error: unknown) => [`the stored rows could not be compared with the contract: ${String(error)}`]
    for (const warning of await findUnfitRows(store, documentOf(contract)).catch(failed)) log.warn(warning)
  } catch (error) {
    // After a signal, the rest of the start may fail.
    if (isStopping()) return
    await close()
    throw error
  }
}

async function open(
  config: Config,
  log: FastifyBaseLogger,
  opened: AsyncDisposableStack,
): Promise<{ app: FastifyInstance; store: Store }> {
  const metrics = config.metrics && (await openMetrics(config.metrics, log, opened))
  const onFault = (part: 'store' | 'key server') => {
    const report = createReporter((err, faults) => {
      log.error({ err, faults }, `the ${part} is not available`)
    })
    return (error: Error) => {
      metrics?.failed(part)
      report(error)
    }
  }
  assertKinds(documentOf(contract))
  const newStore = await openStore(config.database, {
    onFault: onFault('store'),
    onCommit: metrics?.committed,
    onWarning: (message) => {
      log.warn(message)
    },
  })
  const store = opened.adopt(newStore, () => newStore.close())
  metrics?.watchQueue(store.waitingWrites)
  if (metrics !== undefined && config.database.engine === 'sqlite') {
    const { fileFiguresOf } = await import('../store/sqlite/file-figures.ts')
    metrics.watchFiles(fileFiguresOf(config.database.file))
  }
  const newApp = await buildApp({
    contract,
    handlers,
    store,
    log,
    rateLimit: config.rateLimit,
    checksEncoded: config.isDevelopment,
    trustedProxies: config.trustedProxies,
    verifyJwt:
      config.identityProvider &&
      (await import('../auth/jwt.ts')).createJwtVerifier(config.identityProvider, Date.now, onFault('key server')),
    corsOrigins: config.corsOrigins,
    observer: metrics,
    limits: config.limits,
  })
  metrics?.watchConnections(newApp.server)
  return { app: opened.adopt(newApp, () => newApp.close()), store }
}

/** Loads the metrics only if they are configured, to save start time and memory. */
async function openMetrics(
  address: NonNullable<Config['metrics']>,
  log: FastifyBaseLogger,
  opened: AsyncDisposableStack,
): Promise<Metrics> {
  const { createMetrics, serveMetrics } = await import('../monitoring/metrics.ts')
  const metrics = createMetrics(operationsOf(documentOf(contract)).map(({ id }) => id))
  const onUnreadable = (error: unknown) => {
    log.error({ err: error }, 'metrics cannot be read')
  }
  const server = await serveMetrics(metrics, address, onUnreadable).catch(
    cannotListen('METRICS_HOST', 'METRICS_PORT', address),
  )
  opened.defer(() => server.close())
  log.info(`metrics at ${server.url}`)
  return metrics
}

async function listen(app: FastifyInstance, { host, port, reusePort, metrics }: Config): Promise<void> {
  // Fastify passes its options to Node; its type lacks `reusePort`.
  const options: FastifyListenOptions & { reusePort: boolean } = {
    host,
    port,
    reusePort,
    backlog,
    listenTextResolver: (address) => `listening at ${address}`,
  }
  const isOfMetrics = port !== 0 && port === metrics?.port
  await app.listen(options).catch(cannotListen('HOST', 'PORT', { host, port }, isOfMetrics))
}

/** Reasons and remedies by the error codes of listen(2), bind(2) and getaddrinfo(3). */
const listenFaults: Partial<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; stop the other program, or choose another port',
  EACCES: 'this user may not use the port; choose one above 1023',
  EADDRNOTAVAIL: 'this machine does not have the address; choose one that it has',
  ENOTFOUND: 'the host name has no address; choose an address of this machine',
  EAI_AGAIN: 'the name server does not answer; try again',
}

/**
 * Creates the error handler of `listen`. The message names the variables of the address.
 *
 * @param isOfMetrics whether this process itself listens on the port already
 */
function cannotListen(
  hostName: string,
  portName: string,
  { host, port }: Pick<Config, 'host' | 'port'>,
  isOfMetrics = false,
) {
  return (error: unknown): never => {
    const { code } = error as NodeJS.ErrnoException
    const place = `${hostName} ${host}, ${portName} ${String(port)}`
    const reason =
      isOfMetrics && code === 'EADDRINUSE'
        ? 'METRICS_PORT is the same port; choose another for one of them'
        : (listenFaults[code ?? ''] ?? String(error))
    throw new BadConfig(`cannot listen at ${place}: ${reason}`, { cause: error })
  }
}

/** Open files besides the clients' connections: the database, connections to it, listeners, Node's own. */
const reservedFiles = 100

/**
 * Warns if the connections do not fit into the limit of open files (getrlimit(2), RLIMIT_NOFILE). Each connection is an
 * open file.
 */
function openFilesWarnings(connections: number): string[] {
  const needed = connections + reservedFiles
  const limit = openFilesLimit()
  return limit >= needed
    ? []
    : [
        `MAX_CONNECTIONS ${String(connections)} needs ${String(needed)} open files, but the limit of this process is ` +
          `${String(limit)}; raise the limit (ulimit -n ${String(needed)}, or LimitNOFILE= in a systemd unit), ` +
          'or lower MAX_CONNECTIONS',
      ]
}

/** The soft limit of proc_pid_limits(5); infinite if there is none, and on systems other than Linux. */
function openFilesLimit(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}
