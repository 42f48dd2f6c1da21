import { Agent, type RequestOptions, request } from 'node:http'
import fc from 'fast-check'
import { expect, onTestFinished } from 'vitest'
import { type ReceivedResponse, type SentRequest, assertKeepsContract } from './check-response.ts'
import { Coverage } from './coverage.ts'

const { CONTRACT_SEED, CONTRACT_SCALE = '1', CONTRACT_PATH: path, CONTRACT_PART } = process.env

/** What every property starts from; printed, so that a run can be repeated. */
export const seed = Number(CONTRACT_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** How many times as many runs each property gets as by default. */
const scale = Number(CONTRACT_SCALE)

/** How long one property may take, in milliseconds. */
export const timeout = 60_000 * Math.max(1, scale)

/** Whether this run is of everything, so that what it has not seen is missing. */
export const isWholeRun = CONTRACT_PART === undefined

/**
 * Checks that a test passes for whatever is drawn.
 *
 * @param runs how often in a default run
 * @throws Error with the smallest counterexample, its seed and the command that repeats it
 */
export async function check<Drawn>(
  arbitrary: fc.Arbitrary<Drawn>,
  runs: number,
  test: (drawn: Drawn) => Promise<void>,
): Promise<void> {
  const details = await fc.check(fc.asyncProperty(arbitrary, test), {
    seed,
    numRuns: Math.ceil(runs * scale),
    ...(path === undefined ? {} : { path, endOnFailure: true }),
    // The search for a smaller counterexample ends before the test does.
    plugins: [fc.interruptAfterTimeLimit(timeout / 2, { failOnInterrupt: true })],
  })
  if (!details.failed) return
  const title = expect.getState().currentTestName?.replace(/^.* > /, '') ?? ''
  const shown = fc.stringify(details.counterexample)
  throw new Error(
    `${String(details.errorInstance)}\n\n` +
      `The smallest that fails: ${shown.length > 2_000 ? `${shown.slice(0, 2_000)}…` : shown}\n` +
      `Repeat it: npm run test:contract -- --seed ${String(seed)} --path ${String(details.counterexamplePath)} --only ${JSON.stringify(title)}\n`,
    { cause: details.errorInstance },
  )
}

/** What a test sends; a header that is undefined is not sent. */
export interface ContractRequest {
  method: string
  /** The request target, sent as it is. */
  url: string
  headers?: Record<string, string | undefined>
  body?: string | Buffer
}

/** Sends a request as one caller, unless its headers say otherwise, and checks and counts the response. */
export type Send = (sent: ContractRequest) => Promise<ReceivedResponse>

/** What all tests of the suite have seen together. */
export const coverage = new Coverage()

/** Counts and checks a response. @throws Error as `assertKeepsContract` */
export function observe(sent: SentRequest, received: ReceivedResponse): ReceivedResponse {
  coverage.record(sent, received)
  assertKeepsContract(sent, received)
  return received
}

/**
 * Talks to a server over connections of its own, until the test ends.
 *
 * @param origin such as `http://127.0.0.1:3000`
 * @returns a function that rejects where the response breaks the contract
 */
export function createSend(origin: string, token: string): Send {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => {
    agent.destroy()
  })
  const { hostname, port } = new URL(origin)
  return async ({ method, url, headers, body }) => {
    const content =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
    const all: Record<string, string | undefined> = { authorization: `Bearer ${token}`, ...content, ...headers }
    const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    return observe({ method, url }, await exchange({ agent, hostname, port, method, path: url, headers: fields }, body))
  }
}

function exchange(options: RequestOptions, body: string | Buffer | undefined): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const sending = request(options, (message) => {
      const { statusCode = 0, headers, rawHeaders: flat } = message
      const chunks: Buffer[] = []
      message.on('data', (chunk: Buffer) => chunks.push(chunk))
      message.on('error', reject)
      message.on('end', () => {
        const names = flat.filter((_line, index) => index % 2 === 0)
        const rawHeaders = names.map((name, index): [string, string] => [name, flat[2 * index + 1] ?? ''])
        try {
          const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
          resolve({ status: statusCode, headers, text, rawHeaders })
        } catch (error) {
          reject(new Error('the body of the response is not UTF-8', { cause: error }))
        }
      })
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

/** The number of a failure. */
export function errorOf({ text }: ReceivedResponse): unknown {
  return text === '' ? undefined : (JSON.parse(text) as { error?: unknown }).error
}
