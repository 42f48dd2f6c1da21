import { stringifyJson } from 'fastify-contract/json'
import { newPlant } from '../plants.ts'

/** A request to a server. */
export interface Question {
  method: string
  path: string
  /** JSON. */
  body?: string
}

/** A request that creates a plant, named after its id unless it has a name. */
export function create(id: number, name = String(id)): Question {
  return { method: 'POST', path: '/plants', body: stringifyJson(newPlant({ id: BigInt(id), name })) }
}

/** A request that deletes a plant. */
export function remove(id: number): Question {
  return { method: 'DELETE', path: `/plants/${String(id)}` }
}

/** A request that lists at most this many plants. */
export function list(limit: number): Question {
  return { method: 'GET', path: `/plants?limit=${String(limit)}` }
}

/** The times of a request and its response, in milliseconds of `performance.now()`, and the status. */
export interface Exchange {
  from: number
  to: number
  /** 0 without a complete response. */
  status: number
}

/** Sends one request. @returns its times, and the status and body of the response */
export async function ask(
  port: number,
  token: string | undefined,
  { method, path, body }: Question,
): Promise<Exchange & { text: string }> {
  const from = performance.now()
  const received = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(30_000),
  }).then(
    async (response) => ({ text: await response.text(), status: response.status }),
    () => ({ text: '', status: 0 }),
  )
  return { ...received, from, to: performance.now() }
}

/** @returns the status of `/readyz`, 0 without a response */
export async function readiness(port: number): Promise<number> {
  return (await ask(port, undefined, { method: 'GET', path: '/readyz' })).status
}
