import type { Random } from '../random.ts'
import { ask } from '../servers/clients.ts'
import { plantKey } from './content.ts'
import type { Ledger } from './ledger.ts'

export interface LoadOptions {
  port: number
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
export async function write({ port, token, ledger, instant, clients, changes, random }: LoadOptions): Promise<void> {
  /** @returns whether the server still answers */
  async function change(id: number, name: string | undefined): Promise<boolean> {
    const entered = ledger.ask(plantKey(id), name, instant())
    const { status } = await ask(
      port,
      token,
      name === undefined
        ? { method: 'DELETE', path: `/plants/${String(id)}` }
        : { method: 'POST', path: '/plants', body: JSON.stringify({ id, name }) },
    )
    if (status === 0 || status === 503) return false
    if (status >= 400) throw new Error(`a change of plant ${String(id)} was answered ${String(status)}`)
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
        goesOn = await change(id, undefined)
        deleted.push(id)
      } else {
        goesOn = await change(id, `${String(id)}.${'x'.repeat(random.below(200))}`)
        created.push(id)
      }
    }
  }

  await Promise.all(Array.from({ length: clients }, run))
}
