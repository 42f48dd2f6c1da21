import type { Random } from '../../../scripts/measure/fuzz/random.ts'
import { plantKey } from './content.ts'
import type { Ledger } from './ledger.ts'

export interface LoadOptions {
  origin: string
  token: string
  ledger: Ledger
  instant: () => number
  /** How many clients write at once. */
  clients: number
  /** How many changes each of them makes. */
  changes: number
  random: Random
}

let nextId = 1

/**
 * Lets clients create and delete plants, one request after the other, and enters each into the ledger. A client ends
 * when the server is gone or leaves. The name of a plant begins with its id.
 *
 * @throws Error when an answer is wrong
 */
export async function write({ origin, token, ledger, instant, clients, changes, random }: LoadOptions): Promise<void> {
  /** @returns whether the server still answers */
  async function change(method: 'POST' | 'DELETE', id: number, name: string | undefined): Promise<boolean> {
    const entered = ledger.ask(plantKey(id), name, instant())
    const answer = await send(`${origin}/plants${method === 'POST' ? '' : `/${String(id)}`}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(name !== undefined && { 'content-type': 'application/json' }) },
      ...(name !== undefined && { body: JSON.stringify({ id, name }) }),
    })
    if (answer === undefined || answer.status === 503) return false
    if (answer.status >= 400) throw new Error(`${method} of plant ${String(id)}: ${answer.text}`)
    entered.acknowledged = instant()
    return true
  }

  async function run(): Promise<void> {
    const [created, deleted]: [number[], number[]] = [[], []]
    let goesOn = true
    for (let count = 0; goesOn && count < changes; count++) {
      const draw = random.below(10)
      const old = (draw < 3 ? created : draw === 3 ? deleted : []).shift()
      const id = old ?? nextId++
      if (old !== undefined && draw < 3) {
        goesOn = await change('DELETE', id, undefined)
        deleted.push(id)
      } else {
        goesOn = await change('POST', id, `${String(id)}.${'x'.repeat(random.below(200))}`)
        created.push(id)
      }
    }
  }

  await Promise.all(Array.from({ length: clients }, run))
}

/** Sends a request. @returns undefined when there is no whole answer */
export async function send(url: string, init: RequestInit): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(url, init)
    return { status: response.status, text: await response.text() }
  } catch {
    return undefined
  }
}
