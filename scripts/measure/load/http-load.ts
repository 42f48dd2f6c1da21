import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { ResponseReader } from './response-reader.ts'

/** A closed loop of requests: each connection waits for its answer before it asks again. */
export interface LoadJob {
  port: number
  token: string
  operation: LoadOperation
  connections: number
  /** The load ends at whichever comes first. */
  maxRequests: number
  /** From the opening of all connections. */
  maxMilliseconds: number
}

export type LoadOperation = { kind: 'list'; path: string } | { kind: 'create' | 'delete'; ids: LoadIds }

/** The ids of the plants that are created or deleted. Each number from `first` on gives another id. */
export interface LoadIds {
  first: number
  /** Undefined: the number is the id. Otherwise ids fall between this many multiples of 1,000, in no order. */
  scatterOver: number | undefined
}

export interface LoadResult {
  requests: number
  milliseconds: number
  /** How many answers had each status. */
  statuses: Record<string, number>
  /** Length of the first answer's body. Two servers that answer the same have the same length. */
  firstBodyBytes: number
  /** CPU that the generator used, in microseconds. */
  generatorMicroseconds: number
}

/**
 * Loads a server over keep-alive connections. It has its own HTTP client because undici and node:http use as much CPU
 * for a request as the measured servers, on the same machine.
 *
 * @throws Error when a connection fails or closes before its answer is whole
 */
export async function load(job: LoadJob): Promise<LoadResult> {
  const nextRequest = requestWriter(job)
  const result: LoadResult = { requests: 0, milliseconds: 0, statuses: {}, firstBodyBytes: 0, generatorMicroseconds: 0 }
  const clients = await Promise.all(Array.from({ length: job.connections }, () => new Client(job.port, count).open()))
  const cpu = process.cpuUsage()
  const start = performance.now()
  let sent = 0
  function mayAsk(): boolean {
    if (sent >= job.maxRequests || performance.now() - start >= job.maxMilliseconds) return false
    sent++
    return true
  }
  function count(status: string, bodyBytes: number): void {
    if (result.requests++ === 0) result.firstBodyBytes = bodyBytes
    result.statuses[status] = (result.statuses[status] ?? 0) + 1
  }
  await Promise.all(clients.map((client) => client.run(() => (mayAsk() ? nextRequest() : undefined))))
  result.milliseconds = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  result.generatorMicroseconds = user + system
  return result
}

function requestWriter({ token, operation }: LoadJob): () => string {
  const common = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
  if (operation.kind === 'list') {
    const request = `GET ${operation.path} ${common}\r\n`
    return () => request
  }
  const nextId = idCounter(operation.ids)
  if (operation.kind === 'delete') return () => `DELETE /plants/${String(nextId())} ${common}\r\n`
  return () => createRequest(common, nextId())
}

/**
 * Writes a request that creates a plant.
 *
 * @param common what follows the path in every request: the version and the first header fields
 */
export function createRequest(common: string, id: number): string {
  const body = `{"id":${String(id)},"name":"Monstera deliciosa","tag":"indoor"}`
  const content = `Content-Type: application/json\r\nContent-Length: ${String(body.length)}`
  return `POST /plants ${common}${content}\r\n\r\n${body}`
}

/** A prime that shares no factor with a power of ten, so that its multiples reach every remainder. */
const scatterStep = 7_368_787

function idCounter({ first, scatterOver }: LoadIds): () => number {
  let number = first
  if (scatterOver === undefined) return () => number++
  return () => {
    const id = 1_000 * ((number * scatterStep) % scatterOver) + 1 + Math.floor(number / scatterOver)
    number++
    return id
  }
}

/** A connection that sends one request at a time. */
class Client {
  readonly #socket: Socket
  #next: () => string | undefined = () => undefined
  #finish: () => void = () => undefined
  #fail: (error: Error) => void = () => undefined

  /** @param count called with each answer */
  constructor(port: number, count: (status: string, bodyBytes: number) => void) {
    const reader = new ResponseReader((status, bodyBytes) => {
      count(status, bodyBytes)
      this.#ask()
    })
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      // One buffer for each connection instead of a new one for each chunk.
      onread: {
        buffer: Buffer.allocUnsafe(65_536),
        callback: (length, buffer) => {
          reader.read(buffer as Buffer, length)
          return true
        },
      },
    })
    this.#socket.on('error', (error) => {
      this.#fail(error)
    })
    this.#socket.once('end', () => {
      this.#fail(new Error('the server closed the connection'))
    })
  }

  /** Resolves when the connection is open. */
  async open(): Promise<this> {
    await once(this.#socket, 'connect')
    return this
  }

  /** Sends the requests that `next` returns, one after the other, until it returns undefined. */
  run(next: () => string | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#next = next
      this.#finish = resolve
      this.#fail = reject
      this.#ask()
    })
  }

  #ask(): void {
    const request = this.#next()
    if (request !== undefined) {
      this.#socket.write(request, 'latin1')
      return
    }
    this.#socket.destroy()
    this.#finish()
  }
}
