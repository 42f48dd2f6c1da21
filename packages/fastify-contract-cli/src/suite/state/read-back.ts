import type { ContractOperation } from 'fastify-contract/document'
import type { Subschema } from 'fastify-contract/schema'
import { bodyParts } from '../write/part.ts'
import type { TestedContract } from '../ground/contract.ts'
import { canonical } from '../ground/exact-json.ts'
import { Fault, shortened } from '../ground/fault.ts'
import { type FlatSchema, type SchemaSource, flatten } from '../draw/flat-schema.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import { bodyOf, idPathIn } from '../ground/resources.ts'
import type { ThingShape } from '../draw/thing-shape.ts'
import type { Members } from '../ground/members.ts'
import { type Shown, isRounded, shownAs } from './shown.ts'

/** What was sent, and where it is looked for. */
export interface SentChange {
  /** The operation to which it was sent. */
  operation: ContractOperation
  request: ContractRequest
}

/** What a response shows of one thing. */
export interface ShownThing {
  /** The request that shows it, such as `GET /pets/5`. */
  place: string
  members: Members
  schema: Subschema | undefined
}

const reasons = { changed: 'may be readOnly', missing: 'may be writeOnly', 'in another form': 'is in another form' }

/** How often a member must have been kept, with different values, before its loss is a fault. */
const enough = 2
/** How many values must be lost before it is said that nothing is kept. */
const many = 3

/**
 * Compares what was sent to the things of a collection with what is read of them (RFC 9110, section 9.3.4). A server may
 * set members itself, and write values in another form: a member that it never keeps, beside others that it keeps, is a
 * note.
 */
export class ReadBack {
  readonly #contract: TestedContract & SchemaSource
  /** Of the things, whose names are not compared. */
  readonly #shape: ThingShape
  readonly #note: (text: string) => void
  /** The different values that were kept, by member. */
  readonly #kept = new Map<string, Set<string>>()
  /** How many values of each member each method has lost. */
  readonly #lost = new Map<string, number>()
  /** The first example of each note. */
  readonly #examples = new Map<string, string>()

  constructor(contract: TestedContract & SchemaSource, shape: ThingShape, note: (text: string) => void) {
    this.#contract = contract
    this.#shape = shape
    this.#note = note
  }

  /** @throws Fault if a value is lost that the server is known to keep, or if it keeps nothing at all */
  compare({ operation, request }: SentChange, { place, members, schema }: ShownThing): void {
    const { method } = request
    const json = bodyParts(operation).find(({ as }) => as === 'json')
    const sent = this.#shape.unwrapped(bodyOf(String(request.body ?? '')), json?.schema)
    if (sent === undefined || json === undefined || !isJsonOf(request, operation)) return
    const requestMembers = this.#membersOf(json.schema)
    const [own] = idPathIn(this.#shape.resource, sent) ?? []
    const common = [...this.#membersOf(schema)].filter(([name, to]) => {
      return name !== own && isBoth(requestMembers.get(name), to)
    })
    const names = common.map(([name]) => name)
    for (const [name, member] of common) {
      if (!Object.hasOwn(sent, name)) continue
      const [value, received] = [sent[name], Object.hasOwn(members, name) ? members[name] : undefined]
      const shown = shownAs(value, received, member, method)
      const kept = this.#kept.get(name) ?? new Set()
      if (shown === 'kept') {
        // What is not there may have no value for the server either.
        if (value !== null) this.#kept.set(name, kept.add(canonical(value)))
        continue
      }
      const seen = received === undefined ? `no ${name}` : `the ${name} ${shortened(canonical(received), 200)}`
      const text = `${place}: received ${seen}, expected ${shortened(canonical(value), 200)}, which ${method} has sent`
      if (isRounded(value, received, member)) throw lost(text)
      if (shown !== 'in another form') {
        this.#lost.set(`${method} ${name}`, this.#timesLost(method, name) + 1)
        if (kept.size >= enough || this.#keepsNothing(method, names)) throw lost(text)
      }
      this.#noteOnce(name, shown, text)
    }
  }

  #timesLost(method: string, name: string): number {
    return this.#lost.get(`${method} ${name}`) ?? 0
  }

  /** Whether a method has lost each member, and keeps none. A single one may be set by the server when it creates. */
  #keepsNothing(method: string, names: readonly string[]): boolean {
    const times = names.map((name) => this.#timesLost(method, name))
    const isLost = times.every((each) => each > 0) && times.reduce((sum, each) => sum + each, 0) >= many
    const isKept = names.some((name) => (this.#kept.get(name)?.size ?? 0) >= enough)
    return isLost && !isKept && (names.length > 1 || method !== 'POST')
  }

  /** The same note for each value of a member. */
  #noteOnce(name: string, shown: Exclude<Shown, 'kept'>, text: string): void {
    const key = `${name} ${shown}`
    const first = this.#examples.get(key) ?? `${name} ${reasons[shown]}: ${text}`
    this.#examples.set(key, first)
    this.#note(first)
  }

  /** The schemas of the members of a thing, also of one in an envelope. */
  #membersOf(schema: Subschema = {}): Map<string, FlatSchema> {
    const { properties } = flatten(this.#shape.inside(schema), this.#contract)
    return new Map(Object.entries(properties).map(([name, property]) => [name, flatten(property, this.#contract)]))
  }
}

/** Whether a member is in requests and in responses. */
function isBoth(from: FlatSchema | undefined, to: FlatSchema): boolean {
  return from !== undefined && [from, to].every(({ isReadOnly, isWriteOnly }) => !isReadOnly && !isWriteOnly)
}

function isJsonOf({ headers = {} }: ContractRequest, operation: ContractOperation): boolean {
  const type = headers['content-type']
  return type === undefined || bodyParts(operation).some((part) => part.type === type)
}

const lost = (message: string) => new Fault('lost or shown to others', message)
