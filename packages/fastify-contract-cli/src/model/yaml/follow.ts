import { BrokenReference, isObject, lookUp } from 'fastify-contract/json'
import type { Draft } from './node.ts'

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
  readonly #written: ReadonlyMap<string, unknown>
  /** The references that were written by identifiers. */
  readonly anchored: ReadonlySet<string>

  /**
   * @param document before it is mended
   * @param references every `$ref` in it
   * @param anchored those that were written by identifiers
   */
  constructor(document: object, references: Iterable<string>, anchored: ReadonlySet<string>) {
    this.#document = document
    this.anchored = anchored
    const strays = [...references].filter((each) => each.startsWith('#') && !/^#\/components\/[^/]+\/[^/]+$/.test(each))
    this.#written = new Map(strays.flatMap((each) => this.#writtenTarget(each)))
  }

  /** @throws BrokenReference if it cannot be read */
  targetOf(reference: string): unknown {
    return this.#written.get(reference) ?? lookUp(this.#document, reference)
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

  #writtenTarget(reference: string): [string, unknown][] {
    const target = targetIn(this.#document, reference)
    return target === undefined ? [] : [[reference, target]]
  }
}
