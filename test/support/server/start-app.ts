import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { stringifyJson } from 'fastify-contract/json'
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
 * The contract that the tests serve: the project's, or the mutant of `npm run proofs -- mutants`.
 */
export const contract = await generatedContract(process.env['SERVED_CONTRACT_FOLDER'])

/** The server as production builds it, with its own store and a token for the caller `me`. */
export interface TestApp {
  app: FastifyInstance
  store: Store
  token: string
  /** What was logged, line by line. */
  logLines: string[]
  /**
   * Sends a request without a socket, as `me` unless its headers say otherwise, and validates the response.
   */
  send: (request: TestRequest) => Promise<ReceivedResponse>
  /** Issues a token for a caller. */
  issueToken: (caller: string, lifetime?: number) => Promise<string>
  /** Listens on a free port of 127.0.0.1. @returns the origin */
  listen: () => Promise<string>
}

export interface TestRequest {
  method: string
  url: string
  headers?: Record<string, string | undefined>
  /** An object is sent as JSON, anything else unchanged. */
  body?: string | Buffer | object
}

export type TestAppOptions = Partial<Omit<AppOptions, 'contract' | 'log'>>

/** Registers a cleanup. Cleanups run in reverse order. */
export type OnFinished = (finish: () => Promise<void>) => void

/** Makes a folder, which is removed after the test. */
export async function temporaryFolder(onFinished: OnFinished = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-'))
  onFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Makes an empty location for a store on the engine of this run. It is removed after the test. */
export async function temporaryLocation(onFinished: OnFinished = onTestFinished): Promise<DatabaseLocation> {
  const engine = inject('engine')
  switch (engine) {
    case 'sqlite':
      return { engine, file: join(await temporaryFolder(onFinished), 'plants.db') }
    case 'postgres':
      return { engine, url: await temporaryDatabase({}, onFinished) }
  }
}

/** Opens an empty store on the engine of this run. It is closed after the test. */
export async function temporaryStore(onFinished: OnFinished = onTestFinished): Promise<Store> {
  const store = await openStore(await temporaryLocation(onFinished), { onFault: () => undefined })
  onFinished(() => store.close())
  return store
}

/** A caller with a token and no plants. */
export type TestCaller = Omit<TestApp, 'logLines' | 'listen'> & { caller: string }

/**
 * Starts one server for all tests of a file or a `describe`.
 *
 * @returns a function that returns a new caller of this server
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
 * Starts the server, which ends with the test. The test fails if the log repeats values of clients. No request is
 * limited, unless the options say so.
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
        // The type of light-my-request lists common methods only; it sends any.
        method: method,
        url,
        headers: withoutUndefined(all),
        ...(body === undefined
          ? {}
          : { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : stringifyJson(body) }),
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
