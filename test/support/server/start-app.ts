import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { pino } from 'pino'
import { beforeAll, inject, onTestFinished } from 'vitest'
import { type AppOptions, buildApp } from '../../../src/app.ts'
import { createToken } from '../../../src/auth/tokens.ts'
import { handlers } from '../../../src/handlers.ts'
import type { DatabaseLocation } from '../../../src/store/location.ts'
import { openStore } from '../../../src/store/open-store.ts'
import type { Store } from '../../../src/store/store.ts'
import type { ReceivedResponse } from 'fastify-contract-cli/suite'
import { assertKeepsContract, generatedContract } from '../responses/expected-contract.ts'
import { LogSecrets } from '../log/log-secrets.ts'
import { temporaryDatabase } from './postgres-database.ts'

/**
 * The contract that the servers of the tests serve: the project's, or the changed copy that `npm run bench -- mutants`
 * names.
 */
export const contract = await generatedContract(process.env['SERVED_CONTRACT_FOLDER'])

/** The server as production builds it, with a store of its own and a token for the caller `me`. */
export interface TestApp {
  app: FastifyInstance
  store: Store
  token: string
  /** What was logged, line by line. */
  logLines: string[]
  /**
   * Sends a request without a socket, as `me` unless it says otherwise, and checks the response against the contract.
   */
  send: (request: TestRequest) => Promise<ReceivedResponse>
  /** Issues a token for a caller. */
  issueToken: (caller: string, lifetime?: number) => Promise<string>
  /** Listens on a free port of 127.0.0.1 and gives the origin. */
  listen: () => Promise<string>
}

export interface TestRequest {
  method: string
  url: string
  headers?: Record<string, string | undefined>
  /** Sent as it is; an object is sent as JSON. */
  body?: string | Buffer | object
}

export type TestAppOptions = Partial<Omit<AppOptions, 'contract' | 'log'>>

/** Takes what is to be done in the end, the last first. */
export type OnFinished = (finish: () => Promise<void>) => void

/** Makes a folder that is removed when the test is finished. */
export async function temporaryFolder(onFinished: OnFinished = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-'))
  onFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A place for a store that holds nothing yet, of the kind on which the tests run now; it goes with the test. */
export async function temporaryLocation(onFinished: OnFinished = onTestFinished): Promise<DatabaseLocation> {
  const engine = inject('engine')
  switch (engine) {
    case 'sqlite':
      return { engine, file: join(await temporaryFolder(onFinished), 'plants.db') }
    case 'postgres':
      return { engine, url: await temporaryDatabase({}, onFinished) }
  }
}

/** Opens a store of its own, of the kind on which the tests run now, closed when the test is finished. */
export async function temporaryStore(onFinished: OnFinished = onTestFinished): Promise<Store> {
  const store = await openStore(await temporaryLocation(onFinished), { onFault: () => undefined })
  onFinished(() => store.close())
  return store
}

/** A caller with a token and no plants. */
export type TestCaller = Omit<TestApp, 'logLines' | 'listen'> & { caller: string }

/**
 * Starts one server for all tests of a file, or of a `describe`, which is quicker than one for each.
 *
 * @returns a function that gives a new caller on this server
 */
export function shareApp(options: TestAppOptions = {}): () => Promise<TestCaller> {
  let shared: TestApp
  let callers = 0
  beforeAll(async () => {
    const finishes: (() => Promise<void>)[] = []
    shared = await startApp(options, (finish) => void finishes.unshift(finish))
    return async () => {
      for (const finish of finishes) await finish()
    }
  })
  return async () => {
    const caller = `caller ${String(++callers)}`
    const token = await shared.issueToken(caller)
    return {
      ...shared,
      caller,
      token,
      send: (request) => shared.send({ ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } }),
    }
  }
}

/**
 * Starts the server; it ends with the test, which fails when the log has repeated what clients sent. However busy the
 * machine is, no request is refused for that, unless the test's own
 * limits say so.
 */
export async function startApp(
  options: TestAppOptions = {},
  onFinished: OnFinished = onTestFinished,
): Promise<TestApp> {
  const store = options.store ?? (await temporaryStore(onFinished))
  const logLines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void logLines.push(line) })
  const app = await buildApp({
    handlers,
    rateLimit: undefined,
    ...options,
    limits: { shutdownDelayMilliseconds: 0, ...options.limits },
    contract,
    store,
    log,
  })
  const secrets = new LogSecrets()
  app.server.on('request', (request) => {
    secrets.noteRequest(request)
  })
  onFinished(async () => {
    await app.close()
    secrets.assertAbsent(logLines)
  })

  async function issueToken(caller: string, lifetime?: number): Promise<string> {
    const { text, stored } = createToken(caller, (options.now ?? Date.now)(), lifetime)
    await store.addToken(stored)
    secrets.noteToken(text)
    return text
  }

  const token = await issueToken('me')
  return {
    app,
    store,
    token,
    logLines,
    issueToken,
    listen: async () => app.listen({ host: '127.0.0.1', port: 0 }),
    send: async ({ method, url, headers = {}, body }) => {
      const all = {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      }
      const request: InjectOptions = {
        // light-my-request's type lists the common methods; it sends any.
        method: method,
        url,
        headers: withoutUndefined(all),
        ...(body === undefined
          ? {}
          : { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      }
      secrets.noteRequest({ url, headers: withoutUndefined(all) })
      if (typeof request.payload === 'string') secrets.noteBody(request.payload)
      const { statusCode, headers: received, payload } = await app.inject(request)
      const response = { status: statusCode, headers: received as ReceivedResponse['headers'], text: payload }
      assertKeepsContract({ method, url }, response)
      return response
    },
  }
}

function withoutUndefined(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined),
  )
}
