import { Agent, type RequestOptions, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { type ReceivedResponse, type SentRequest, assertKeepsContract } from '../support/responses/check-response.ts'
import { type TestApp, type TestAppOptions, shareApp, startApp } from '../support/server/start-app.ts'
import { Coverage } from './coverage.ts'

/** What a test sends; a header that is undefined is not sent. */
export interface ContractRequest {
  method: string
  /** The request target, sent as it is. */
  url: string
  headers?: Record<string, string | undefined>
  body?: string | Buffer
}

/** What all tests of the suite have seen together. */
export const coverage = new Coverage()

/** Counts and checks a response. @throws Error as `assertKeepsContract` */
export function observe(sent: SentRequest, received: ReceivedResponse): ReceivedResponse {
  coverage.record(sent, received)
  if (coverage.requests % 5_000 === 0)
    console.log(
      `… ${coverage.requests.toLocaleString('en')} responses, ${String(Math.round(performance.now() / 1000))} s`,
    )
  assertKeepsContract(sent, received)
  return received
}

/** Talks to one server over real connections. */
export interface ContractClient {
  origin: string
  token: string
  /** Sends a request as `me`, unless its headers say otherwise, and checks the response. */
  send: (sent: ContractRequest) => Promise<ReceivedResponse>
}

/** A server and its client. */
export interface Service extends ContractClient, Pick<TestApp, 'app' | 'store' | 'issueToken'> {}

/** Starts a server that ends with the test, and a client for it. */
export async function startService(options: TestAppOptions = {}): Promise<Service> {
  const { app, store, issueToken, token, listen } = await startApp(options)
  return { app, store, issueToken, ...createClient(await listen(), token) }
}

/**
 * Starts one server for all tests of a `describe`, which is quicker than one for each.
 *
 * @returns a function that gives a client for it, as a caller without plants
 */
export function shareService(): () => Promise<ContractClient> {
  const newCaller = shareApp()
  let origin: Promise<string> | undefined
  return async () => {
    const { app, token } = await newCaller()
    origin ??= app.listen({ host: '127.0.0.1', port: 0 })
    return createClient(await origin, token)
  }
}

/** Makes a client that lives as long as the test. */
export function createClient(origin: string, token: string): ContractClient {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => {
    agent.destroy()
  })
  const { hostname, port } = new URL(origin)

  async function send({ method, url, headers = {}, body }: ContractRequest): Promise<ReceivedResponse> {
    const all: Record<string, string | undefined> = {
      authorization: `Bearer ${token}`,
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    }
    const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    return observe({ method, url }, await receive({ agent, hostname, port, method, path: url, headers: fields }, body))
  }

  return { origin, token, send }
}

function receive(options: RequestOptions, body: string | Buffer | undefined): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const sending = request(options, (message) => {
      const pieces: Buffer[] = []
      message.on('data', (piece: Buffer) => pieces.push(piece))
      message.on('error', reject)
      message.on('end', () => {
        const rawHeaders = message.rawHeaders.flatMap((name, index): [string, string][] =>
          index % 2 === 0 ? [[name, message.rawHeaders[index + 1] ?? '']] : [],
        )
        try {
          const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces))
          resolve({ status: message.statusCode ?? 0, headers: message.headers, text, rawHeaders })
        } catch (error) {
          reject(new Error('the body of the response is not UTF-8', { cause: error }))
        }
      })
    })
    sending.on('error', reject)
    sending.end(body)
  })
}
