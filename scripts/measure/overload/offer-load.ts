import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { loadProcessor } from '../servers/server-process.ts'

/** Creates that are asked for at a rate that does not depend on the answers. */
export interface Offer {
  port: number
  token: string
  /** Requests a second. */
  rate: number
  seconds: number
  /** The id of the first plant. */
  first: number
}

/** What came of it, a second. */
export interface OfferedResult {
  /** Answered 200 within a second of the time at which it was to be sent. */
  good: number
  refused: number
  late: number
  /** No connection was free. */
  unsent: number
  /** Still waited for when the time was over. */
  unanswered: number
  /** The longest wait of an answer that was not a refusal, in milliseconds. */
  worst: number
}

/**
 * Open before the load begins, as those of proxies are: Node takes one new connection in each turn of its event loop.
 */
const connectionCount = 4_000

/** Fewer than a listener's queue holds on any system. */
const connectionsAtOnce = 100

const patienceMilliseconds = 1_000

/** Offers the load from a process of its own, on the load generator's processor. */
export async function offerInProcess(offer: Offer): Promise<OfferedResult> {
  const child = spawn(
    'taskset',
    ['-c', loadProcessor, process.execPath, join(import.meta.dirname, 'offer-process.ts')],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  const ended = new AbortController()
  child.once('exit', () => {
    ended.abort()
  })
  child.send(offer)
  // `once` gives the arguments of the event; offer-process.ts sends nothing else.
  const [result] = (await once(child, 'message', { signal: ended.signal })) as [OfferedResult]
  return result
}

/** Offers the load from this process. */
export async function offerLoad({ port, token, rate, seconds, first }: Offer): Promise<OfferedResult> {
  const counts = { good: 0, refused: 0, late: 0, unsent: 0, worst: 0 }
  const sockets = await openConnections(port)
  const idle = [...sockets]
  let id = first
  let answered = 0

  function ask(socket: Socket, dueAt: number): void {
    const body = `{"id":${String(id++)},"name":"Monstera deliciosa","tag":"indoor"}`
    socket.write(
      `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`,
      'latin1',
    )
    // Answers to creates are small: each arrives in one piece.
    socket.once('data', (bytes: Buffer) => {
      const wait = performance.now() - dueAt
      answered++
      const status = bytes.toString('latin1', 9, 12)
      if (status === '503') counts.refused++
      else {
        counts.worst = Math.max(counts.worst, wait)
        if (wait > patienceMilliseconds) counts.late++
        else if (status === '200') counts.good++
      }
      idle.push(socket)
    })
  }

  function request(dueAt: number): void {
    const free = idle.pop()
    if (free === undefined) counts.unsent++
    else ask(free, dueAt)
  }

  const start = performance.now()
  let asked = 0
  while (performance.now() - start < seconds * 1_000) {
    const due = Math.floor(((performance.now() - start) / 1_000) * rate)
    while (asked < due) request(start + (++asked / rate) * 1_000)
    // Answers are read in between.
    await new Promise(setImmediate)
  }
  for (const socket of sockets) socket.destroy()
  return {
    good: counts.good / seconds,
    refused: counts.refused / seconds,
    late: counts.late / seconds,
    unsent: counts.unsent / seconds,
    unanswered: (asked - answered - counts.unsent) / seconds,
    worst: counts.worst,
  }
}

async function openConnections(port: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < connectionCount) {
    const opened = Array.from({ length: Math.min(connectionsAtOnce, connectionCount - sockets.length) }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      await once(socket, 'connect')
      return socket
    })
    sockets.push(...(await Promise.all(opened)))
  }
  return sockets
}
