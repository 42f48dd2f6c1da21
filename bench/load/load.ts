import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { ResponseReader } from './response-reader.ts'

/** Requests to a server over connections that stay open. */
export interface LoadJob {
  port: number
  token: string
  operation: LoadOperation
  connections: number
  /** The load ends at whichever comes first. */
  maxRequests: number
  /** From the opening of all connections. */
  maxMilliseconds: number
  /**
   * Requests a second, whether or not responses come. Without it, each connection waits for its response before
   * the next request.
   */
  rate?: number
}

/** Plants are created and deleted in the order of their ids. What is sent is the same in each request. */
export type LoadOperation =
  | { kind: 'list'; path: string }
  | { kind: 'create' | 'delete'; firstId: number }
  | { kind: 'send'; path: string; body: string }

export interface LoadResult {
  /** How many got a response. */
  requests: number
  milliseconds: number
  /** How many responses had each status. */
  statuses: Record<string, number>
  /** The body length of the first response, which is equal for servers with equal responses. */
  firstBodyBytes: number
  /** For a job with a rate. */
  offered?: OfferedResult
}

export interface OfferedResult {
  /** Requests that were due when no connection was free. */
  unsent: number
  /** Requests without a response at the end. */
  unanswered: number
  /** The status of each response, and its milliseconds since the request was due. */
  responses: [status: string, wait: number][]
}

/**
 * Loads a server. It has its own HTTP client because undici and node:http use as much CPU for a request as the measured
 * servers.
 *
 * @throws Error when a connection fails or closes before its response is complete
 */
export async function load(job: LoadJob): Promise<LoadResult> {
  const nextRequest = requestWriter(job)
  const connections = await openConnections(job)
  const result: LoadResult = { requests: 0, milliseconds: 0, statuses: {}, firstBodyBytes: 0 }
  function count(status: string, bodyBytes: number): void {
    if (result.requests++ === 0) result.firstBodyBytes = bodyBytes
    result.statuses[status] = (result.statuses[status] ?? 0) + 1
  }
  const clients: Clients = { connections, nextRequest, count }
  const start = performance.now()
  try {
    const failed = Promise.race(connections.map(({ failure }) => failure))
    if (job.rate === undefined) await Promise.race([askInTurn(job, clients), failed])
    else result.offered = await Promise.race([offer(job, job.rate, clients), failed])
  } finally {
    for (const connection of connections) connection.close()
  }
  result.milliseconds = performance.now() - start
  return result
}

type Count = (status: string, bodyBytes: number) => void

interface Clients {
  connections: readonly Connection[]
  nextRequest: () => string
  count: Count
}

/** A closed loop. */
async function askInTurn(
  { maxRequests, maxMilliseconds }: LoadJob,
  { connections, nextRequest, count }: Clients,
): Promise<void> {
  const start = performance.now()
  let sent = 0
  const run = (connection: Connection) =>
    new Promise<void>((resolve) => {
      function ask(): void {
        if (sent >= maxRequests || performance.now() - start >= maxMilliseconds) resolve()
        else {
          sent++
          connection.send(nextRequest())
        }
      }
      connection.onResponse = (status, bodyBytes) => {
        count(status, bodyBytes)
        ask()
      }
      ask()
    })
  await Promise.all(connections.map(run))
}

/** An open loop. */
async function offer(
  { maxRequests, maxMilliseconds }: LoadJob,
  rate: number,
  { connections, nextRequest, count }: Clients,
): Promise<OfferedResult> {
  const idle = [...connections]
  const responses: OfferedResult['responses'] = []
  let unsent = 0
  function ask(dueAt: number): void {
    const connection = idle.pop()
    if (connection === undefined) {
      unsent++
      return
    }
    connection.onResponse = (status, bodyBytes) => {
      count(status, bodyBytes)
      responses.push([status, performance.now() - dueAt])
      idle.push(connection)
    }
    connection.send(nextRequest())
  }
  const start = performance.now()
  let asked = 0
  while (performance.now() - start < maxMilliseconds) {
    const due = Math.min(maxRequests, Math.floor(((performance.now() - start) / 1_000) * rate))
    while (asked < due) ask(start + (++asked / rate) * 1_000)
    // Responses are read in between.
    await new Promise(setImmediate)
  }
  return { unsent, unanswered: asked - unsent - responses.length, responses: [...responses] }
}

function requestWriter({ token, operation }: LoadJob): () => string {
  const common = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
  if (operation.kind === 'list') {
    const request = `GET ${operation.path} ${common}\r\n`
    return () => request
  }
  const post = (path: string, body: string) => {
    const content = `Content-Type: application/json\r\nContent-Length: ${String(body.length)}`
    return `POST ${path} ${common}${content}\r\n\r\n${body}`
  }
  if (operation.kind === 'send') {
    const request = post(operation.path, operation.body)
    return () => request
  }
  let nextId = operation.firstId
  if (operation.kind === 'delete') return () => `DELETE /plants/${String(nextId++)} ${common}\r\n`
  return () => post('/plants', `{"id":${String(nextId++)},"name":"Monstera deliciosa","tag":"indoor"}`)
}

/** Less than the listen backlog of any system. */
const openedAtOnce = 100

async function openConnections({ port, connections }: LoadJob): Promise<Connection[]> {
  const opened: Connection[] = []
  while (opened.length < connections) {
    const count = Math.min(openedAtOnce, connections - opened.length)
    opened.push(...(await Promise.all(Array.from({ length: count }, () => new Connection(port).open()))))
  }
  return opened
}

/** A connection with one request at a time. */
class Connection {
  onResponse: Count = () => undefined
  /** Never resolves. Rejects when the connection fails or the server closes it. */
  readonly failure: Promise<never>
  readonly #socket: Socket

  constructor(port: number) {
    const reader = new ResponseReader((status, bodyBytes) => {
      this.onResponse(status, bodyBytes)
    })
    const socket = connect({
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
    this.#socket = socket
    this.failure = new Promise((_resolve, reject) => {
      socket.on('error', reject).once('end', () => {
        reject(new Error('the server closed the connection'))
      })
    })
    this.failure.catch(() => undefined)
  }

  async open(): Promise<this> {
    await once(this.#socket, 'connect')
    return this
  }

  send(request: string): void {
    this.#socket.write(request, 'latin1')
  }

  close(): void {
    this.#socket.destroy()
  }
}
