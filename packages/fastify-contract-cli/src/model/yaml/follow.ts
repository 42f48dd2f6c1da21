import { BrokenReference, isObject, lookUp } from 'fastify-contract/json'
import type { Draft } from './node.ts'
import type { Reading } from './read-json.ts'

/** What is at the end of the references of an object. */
export interface Followed {
  /** The object, and those to which its references lead, as far as these are objects. */
  chain: Draft[]
  end?: unknown
  /** Why there is no end. */
  problem?: string
}

/** Looks up a reference. @returns undefined also if its percent-encoding is broken */
export function targetIn(document: unknown, reference: string): unknown {
  try {
    return lookUp(document, reference)
  } catch (error) {
    if (error instanceof BrokenReference) return undefined
    throw error
  }
}

/** Follows references in a contract. */
export class References {
  readonly #document: object
  /** The targets of references to what is no component. Mending may move them. */
  readonly #strays: ReadonlyMap<string, unknown>

  /** @param reading before it is mended */
  constructor({ document, references }: Reading) {
    this.#document = document
    const strays = [...references.keys()].filter((each) => /^#(?!\/components\/[^/]+\/[^/]+$)/.test(each))
    this.#strays = new Map(strays.map((each) => [each, targetIn(document, each)]))
  }

  /** @throws BrokenReference if it cannot be read */
  targetOf(reference: string): unknown {
    return this.#strays.get(reference) ?? lookUp(this.#document, reference)
  }

  follow(object: unknown): Followed {
    const visited = new Set<Draft>()
    const broken = (problem: string): Followed => ({ chain: [...visited], problem })
    let end = object
    while (isObject(end)) {
      if (visited.has(end)) return broken('the reference leads back to itself; refer to an object')
      visited.add(end)
      const { $ref: reference } = end
      if (typeof reference !== 'string') break
      try {
        end = this.targetOf(reference)
      } catch (error) {
        if (!(error instanceof BrokenReference)) throw error
        return broken(`${error.message}; write % as %25`)
      }
      if (end === undefined) return broken(`the reference ${reference} leads to nothing; correct the name`)
    }
    return { chain: [...visited], end }
  }
}
