import type { ContractOperation } from 'fastify-contract/document'
import type { RequestParts } from '../write/request-parts.ts'
import type { MadeRequest } from '../write/requests.ts'
import { sizeOf } from '../ground/exchange.ts'

/** How many requests of one operation and media type are remembered. */
const maxAccepted = 20

/** The valid requests of an operation with a body of one media type, or with none. */
interface Known {
  statuses: Set<number>
  /** The smallest first. */
  accepted: MadeRequest[]
}

/** What has come of valid requests: a broken one is made of what was accepted, and only then is its refusal one. */
export class ValidRequests {
  readonly #known = new Map<ContractOperation, Map<string | undefined, Known>>()

  record(operation: ContractOperation, { parts, request }: MadeRequest, status: number): void {
    const types = this.#known.get(operation) ?? new Map<string | undefined, Known>()
    this.#known.set(operation, types)
    const type = parts.body === undefined ? undefined : parts.type
    const known = types.get(type) ?? { statuses: new Set(), accepted: [] }
    types.set(type, known)
    known.statuses.add(status)
    if (status >= 400) return
    // The others are of any size.
    known.accepted = [...known.accepted, { parts, request }].toSorted((a, b) => sizeOf(a.request) - sizeOf(b.request))
    if (known.accepted.length > maxAccepted) known.accepted.splice(maxAccepted / 2, 1)
  }

  /** What accepted requests of an operation are made of, the smallest first. */
  acceptedOf(operation: ContractOperation): RequestParts[] {
    const all = [...(this.#known.get(operation)?.values() ?? [])].flatMap(({ accepted }) => accepted)
    return all.toSorted((a, b) => sizeOf(a.request) - sizeOf(b.request)).map(({ parts }) => parts)
  }

  /** Whether a status says that a request is broken: where no valid one is accepted, they may get the same. */
  isOfBroken(operation: ContractOperation, type: string | undefined, status: number): boolean {
    const types = this.#known.get(operation) ?? new Map<string | undefined, Known>()
    const known = type === undefined ? [...types.values()] : [types.get(type) ?? []].flat()
    return known.some(({ accepted }) => accepted.length > 0) || known.every(({ statuses }) => !statuses.has(status))
  }
}
