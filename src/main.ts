import closeWithGrace from 'close-with-grace'
import type { FastifyListenOptions } from 'fastify'
import { pino } from 'pino'
import { buildApp } from './app.ts'
import { createToken } from './auth/tokens.ts'
import { BadConfig, type Config, loadConfig } from './config.ts'
import { UnservableContract } from './contract/engine.ts'
import { loadContract } from './contract/load-contract.ts'
import { loadHandlers } from './handlers.ts'
import { openStore } from './store/open-store.ts'
import { type Store, UnusableStore } from './store/store.ts'
import { isLoopback, welcome } from './welcome.ts'

/** How much of the time to stop is for the requests; the rest is for the store, which folds its log in. */
const answeringShare = 0.8

/** What can be wrong at the start and is told in one line, because the place to mend it is not in this code. */
const expected = [BadConfig, UnservableContract, UnusableStore]

try {
  await start(loadConfig(process.env))
} catch (error) {
  const isExpected = expected.some((kind) => error instanceof kind)
  console.error(`plant-store: ${isExpected ? (error as Error).message : String(error instanceof Error ? error.stack : error)}`)
  process.exitCode = 1
}

async function start(config: Config): Promise<void> {
  // Standard output is for the person who starts the server; the log goes to standard error, in pieces of 4 KiB or each 100 ms.
  const logged = pino.destination({ dest: 2, minLength: 4_096, periodicFlush: 100, sync: true })
  process.once('exit', () => {
    logged.flushSync()
  })
  const log = pino({ level: config.logLevel, redact: ['req.headers.authorization', 'headers.authorization'] }, logged)
  const contract = await loadContract(`${import.meta.dirname}/..`)
  const store = await openStore(config.database, (error) => {
    log.error({ err: error }, 'the store is not available')
  })
  try {
    const delayMilliseconds = config.shutdownDelay * 1_000
    const graceMilliseconds = config.shutdownGrace * 1_000
    const app = await buildApp({
      contract,
      handlers: await loadHandlers(store),
      store,
      log,
      bodyLimit: config.bodyLimit,
      rateLimit: config.rateLimit,
      limits: { connections: config.maxConnections, requestMilliseconds: config.requestTimeout * 1_000, keepAliveMilliseconds: config.keepAliveTimeout * 1_000 },
      closingTimes: { delayMilliseconds, answerMilliseconds: (graceMilliseconds - delayMilliseconds) * answeringShare },
    })
    await listen(app, config)
    closeWithGrace({ delay: graceMilliseconds, logger: log }, async ({ err, signal }) => {
      if (err) log.fatal({ err }, 'stopping after an error that nobody handled')
      else log.info({ signal }, 'stopping')
      await app.close()
      await store.close()
    })
    console.log(welcome(app.listeningOrigin, await firstToken(store, config)))
  } catch (error) {
    await store.close()
    throw error
  }
}

async function listen(app: Awaited<ReturnType<typeof buildApp>>, { host, port, reusePort }: Config): Promise<void> {
  // Fastify hands its options on to Node; its type does not know this one yet.
  const options: FastifyListenOptions & { reusePort: boolean } = { host, port, reusePort, listenTextResolver: (address) => `listening at ${address}` }
  try {
    await app.listen(options)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'the port is taken' : code === 'EACCES' ? 'the port needs more rights' : code
    throw new BadConfig(`cannot listen at HOST ${host}, PORT ${String(port)}: ${String(reason)}`, { cause: error })
  }
}

/** A token for whoever starts an empty server on their own machine. A database server is there for more than one. */
async function firstToken(store: Store, { host, database }: Config): Promise<string | undefined> {
  if (database.engine !== 'sqlite' || !isLoopback(host) || !(await store.isEmpty())) return undefined
  const { text, stored } = createToken('me', Date.now())
  return (await store.addToken(stored)) === 'added' ? text : undefined
}
