import { setTimeout as sleep } from 'node:timers/promises'
import { createToken } from '../../../src/auth/tokens.ts'
import { openStore } from '../../../src/store/open-store.ts'

/** A request that was sent. */
export interface Sent {
  caller: string
  kind: 'create' | 'list'
  /** Of a create. */
  id: number
  /** When it was sent and answered, in milliseconds of `performance.now()`. */
  from: number
  to: number
  /** 0 if it was not answered. */
  status: number
}

/** A caller, and a token of it. */
export interface Caller {
  name: string
  token: string
}

/** Issues a token for each of these callers. */
export async function issueTokens(url: string, names: string[]): Promise<Caller[]> {
  const store = await openStore({ engine: 'postgres', url }, { onFault: () => undefined })
  try {
    return await Promise.all(
      names.map(async (name) => {
        const { text, stored } = createToken(name, Date.now())
        if ((await store.addToken(stored)) !== 'added') throw new Error(`no token could be issued for ${name}`)
        return { name, token: text }
      }),
    )
  } finally {
    await store.close()
  }
}

/** Sends one request. A create has its id as its name. */
export async function send(port: number, { name, token }: Caller, kind: Sent['kind'], id: number): Promise<Sent> {
  const from = performance.now()
  const status = await fetch(`http://127.0.0.1:${String(port)}/plants${kind === 'list' ? '?limit=20' : ''}`, {
    method: kind === 'list' ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(kind === 'list' ? {} : { body: JSON.stringify({ id, name: String(id) }) }),
    signal: AbortSignal.timeout(30_000),
  }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )
  return { caller: name, kind, id, from, to: performance.now(), status }
}

/** Callers who send one request after the other. */
export interface Writers {
  sent: Sent[]
  stop: () => Promise<void>
}

/**
 * Each caller creates plants, and lists them after every create where `lists` says so.
 *
 * @param pauseMilliseconds between the requests of one caller
 */
export function startWriters(port: number, callers: Caller[], lists: boolean, pauseMilliseconds: number): Writers {
  const sent: Sent[] = []
  const stopped = new AbortController()
  const all = Promise.all(
    callers.map(async (caller) => {
      for (let id = 1; !stopped.signal.aborted; id++) {
        sent.push(await send(port, caller, 'create', id))
        if (lists) sent.push(await send(port, caller, 'list', 0))
        await sleep(pauseMilliseconds)
      }
    }),
  )
  return {
    sent,
    stop: async () => {
      stopped.abort()
      await all
    },
  }
}

/** The status of `/readyz`. */
export async function readiness(port: number): Promise<number> {
  return (await fetch(`http://127.0.0.1:${String(port)}/readyz`)).status
}

/** How many requests had each status, as `200: 5, 503: 1`. */
export function countStatuses(sent: Sent[]): string {
  const counts = Map.groupBy(sent, ({ status }) => status)
  return [...counts]
    .map(([status, { length }]) => `${status === 0 ? 'none' : String(status)}: ${String(length)}`)
    .join(', ')
}
