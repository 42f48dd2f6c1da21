import type { ContractOperation } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import { bodySchema, bodyTypes } from '../write/bodies.ts'
import { type TestedContract, responseTo } from '../ground/contract.ts'
import { canonical } from '../ground/exact-json.ts'
import { Fault } from '../ground/fault.ts'
import { type FlatSchema, type SchemaSource, flatten, merged, namedTypesOf } from '../draw/flat-schema.ts'
import type { Json } from '../draw/json-value.ts'
import { jsonType } from '../write/requests.ts'
import type { ContractRequest } from '../ground/contract-request.ts'
import { bodyOf, idKey, unwrapped } from '../ground/resources.ts'
import { type Members, isObject } from '../ground/members.ts'
import type { ReceivedResponse } from '../ground/exchange.ts'

/** How a response shows a value that was sent. */
type Shown = 'kept' | 'in another form' | 'changed' | 'missing'

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
  schema: Schema | undefined
}

const reasons = { changed: 'may be readOnly', missing: 'may be writeOnly', 'in another form': 'is in another form' }

interface Recorded {
  name: string
  method: string
  text: string
  /** The members that are compared. */
  common: readonly string[]
}

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
  /** The parameter that names a thing, and with it the member that is not compared. */
  readonly #parameter: string
  readonly #note: (text: string) => void
  /** The different values that were kept, by member. */
  readonly #kept = new Map<string, Set<string>>()
  /** How often each method has lost a value of each member that was compared. */
  readonly #lost = new Map<string, Map<string, number>>()
  /** The first example of each note. */
  readonly #examples = new Map<string, string>()

  constructor(contract: TestedContract & SchemaSource, parameter: string, note: (text: string) => void) {
    this.#contract = contract
    this.#parameter = parameter
    this.#note = note
  }

  /** @throws Fault if a value is lost that the server is known to keep, or if it keeps nothing at all */
  compare({ operation, request }: SentChange, { place, members, schema }: ShownThing): void {
    const sent = unwrapped(bodyOf(String(request.body ?? '')), this.#parameter)
    const type = jsonType(operation)
    if (sent === undefined || type === undefined || !isJsonOf(request, operation)) return
    const requestMembers = this.#membersOf(bodySchema(operation, type), sent)
    const responseMembers = this.#membersOf(schema, members)
    const own = idKey(this.#parameter, Object.keys(sent))
    const common = new Map(
      [...responseMembers].filter(([name, to]) => name !== own && isBoth(requestMembers.get(name), to)),
    )
    for (const [name, member] of common) {
      if (!Object.hasOwn(sent, name)) continue
      const [value, received] = [sent[name], Object.hasOwn(members, name) ? members[name] : undefined]
      const shown = shownAs(value, received, member, request.method)
      const text = textOf({ name, place, value, received, method: request.method })
      if (isRounded(value, received, member)) throw lost(text)
      this.#record(shown, canonical(value), { name, method: request.method, text, common: [...common.keys()] })
      if (shown !== 'kept') this.#noteOnce(name, shown, text)
    }
  }

  #record(shown: Shown, value: string, { name, method, text, common }: Recorded): void {
    const kept = this.#kept.get(name) ?? new Set()
    // What is not there may have no value for the server either.
    if (shown === 'kept' && value !== 'null') this.#kept.set(name, kept.add(value))
    if (shown !== 'changed' && shown !== 'missing') return
    const lostOf = this.#lost.get(method) ?? new Map<string, number>()
    this.#lost.set(method, lostOf.set(name, (lostOf.get(name) ?? 0) + 1))
    if (kept.size >= enough || this.#keepsNothing(method, common)) throw lost(text)
  }

  /** Whether a method has lost each member, and keeps none. A single one may be set by the server when it creates. */
  #keepsNothing(method: string, common: readonly string[]): boolean {
    const times = common.map((name) => this.#lost.get(method)?.get(name) ?? 0)
    const isLost = times.every((each) => each > 0) && times.reduce((sum, each) => sum + each, 0) >= many
    const isKept = common.some((name) => (this.#kept.get(name)?.size ?? 0) >= enough)
    return isLost && !isKept && (common.length > 1 || method !== 'POST')
  }

  /** The same note for each value of a member. */
  #noteOnce(name: string, shown: keyof typeof reasons, text: string): void {
    const key = `${name} ${shown}`
    const first = this.#examples.get(key) ?? `${name} ${reasons[shown]}: ${text}`
    this.#examples.set(key, first)
    this.#note(first)
  }

  /** The schemas of the members of an object, also of one in an envelope. */
  #membersOf(schema: Schema | undefined, members: Members): Map<string, FlatSchema> {
    const flat = flatten(schema ?? {}, this.#contract)
    const [only, ...others] = Object.values(flat.properties)
    const isEnvelope =
      others.length === 0 &&
      only !== undefined &&
      !Object.keys(members).some((name) => Object.hasOwn(flat.properties, name))
    const { properties } = isEnvelope ? flatten(only, this.#contract) : flat
    return new Map(Object.entries(properties).map(([name, property]) => [name, flatten(property, this.#contract)]))
  }
}

/** Whether a member is in requests and in responses. */
function isBoth(from: FlatSchema | undefined, to: FlatSchema): boolean {
  return from !== undefined && [from, to].every(({ isReadOnly, isWriteOnly }) => !isReadOnly && !isWriteOnly)
}

/** The schema of the body of a response that was received. */
export function schemaOfResponse(
  contract: TestedContract,
  request: ContractRequest,
  { status }: ReceivedResponse,
): Schema | undefined {
  const [, declared] = responseTo(contract, request, status) ?? []
  return Object.values(declared?.content ?? {})[0]?.schema
}

function isJsonOf({ headers = {} }: ContractRequest, operation: ContractOperation): boolean {
  const type = headers['content-type']
  return type === undefined || bodyTypes(operation).includes(type)
}

const lost = (message: string) => new Fault('lost or shown to others', message)

interface Compared {
  name: string
  place: string
  value: Json
  received: Json
  method: string
}

function textOf({ name, place, value, received, method }: Compared): string {
  const seen = received === undefined ? `no ${name}` : `the ${name} ${shortened(received)}`
  return `${place}: received ${seen}, expected ${shortened(value)}, which ${method} has sent`
}

function shortened(value: Json): string {
  const text = canonical(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** An integer that comes back as its neighbour has been a double on its way. */
function isRounded(sent: Json, received: Json, schema: FlatSchema): boolean {
  if (typeof sent !== 'bigint' || !isNumber(received) || sent === received) return false
  const isFloat = formsOf(schema, sent).some((form) => namedTypesOf(form).includes('number'))
  return !isFloat && Number(sent) === Number(received)
}

/** What alternatives make of a schema for a value: those that the value keeps, each with what holds beside them. */
function formsOf(schema: FlatSchema, value: Json): FlatSchema[] {
  const [alternatives, ...choices] = schema.choices
  if (alternatives === undefined) return [schema]
  const { source } = schema
  const forms = alternatives
    .filter((each) => source.problemsOf(value, each, 'request').length === 0)
    .map((each) => flatten(each, source))
    .filter(({ targets }) => !targets.some((target) => schema.targets.includes(target)))
  if (forms.length === 0) return [{ ...schema, choices: [] }]
  return forms.flatMap((form) => formsOf(merged({ ...schema, choices }, form), value))
}

function isNumber(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** How a value that was sent is shown by the one that was received; undefined for none. */
function shownAs(sent: Json, received: Json, schema: FlatSchema, method: string): Shown {
  if (canonical(sent) === canonical(received ?? null)) return 'kept'
  const shown = formsOf(schema, sent).map((form) => shownIn(form, sent, received, method))
  return (['kept', 'in another form', 'missing'] as const).find((each) => shown.includes(each)) ?? 'changed'
}

function shownIn(schema: FlatSchema, sent: Json, received: Json, method: string): Shown {
  if (received === undefined) return isEmpty(sent, schema) ? 'in another form' : 'missing'
  if (typeof sent === 'string' && typeof received === 'string') return isSameText(sent, received, schema)
  const isFloat = namedTypesOf(schema).includes('number') || typeof sent === 'number'
  if (isFloat && isNumber(sent) && isNumber(received)) return isNear(Number(sent), Number(received))
  // A change of a part may add to a list.
  if (Array.isArray(sent) && Array.isArray(received)) {
    const shown = isSameList(sent, received, schema)
    return method === 'PATCH' && shown === 'changed' ? 'in another form' : shown
  }
  if (!isObject(sent) || !isObject(received)) return 'changed'
  return isSameObject(sent, received, schema, method)
}

/** Many a writer leaves out what is empty, zero, or the default. */
function isEmpty(value: Json, { default: usual }: FlatSchema): boolean {
  if (typeof value === 'string') return normal(value) === '' || value === usual
  if (isObject(value) || Array.isArray(value)) return Object.keys(value).length === 0
  return !value || value === usual
}

/** A text without what software takes away, and in one of its forms. */
function normal(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\p{C}/gu, '').replaceAll(/\s+/g, ' ').trim()
}

/** One form of each value of a format that has several; undefined where it is not known. */
const formOf: Record<string, (text: string) => unknown> = {
  'date-time': secondsOf,
  date: secondsOf,
  time: (text) => secondsOf(`2000-01-01T${text}`),
  duration: () => undefined,
  uri: (text) => URL.parse(text)?.href,
  url: (text) => URL.parse(text)?.href,
  ipv6: (text) => URL.parse(`http://[${text}]/`)?.href,
  byte: (text) => Buffer.from(text, 'base64').toString('hex'),
}

function secondsOf(text: string): number | undefined {
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

function isSameText(sent: string, received: string, { assertions: { format = '' } }: FlatSchema): Shown {
  const form = formOf[format] ?? normal
  const one = form(sent)
  return normal(sent) === normal(received) || one === undefined || one === form(received)
    ? 'in another form'
    : 'changed'
}

/** A number may be kept as a float, or with two decimals. */
function isNear(sent: number, received: number): Shown {
  const isClose = Math.abs(sent - received) <= Math.max(0.005, Math.abs(sent) * 1e-6)
  return isClose || !Number.isFinite(sent) ? 'in another form' : 'changed'
}

function isSameList(sent: Json[], received: Json[], { assertions: { items = {} }, source }: FlatSchema): Shown {
  const member = flatten(items, source)
  const shown = sent.map((item, index) => shownAs(item, received[index], member, 'PUT'))
  if (sent.length === received.length && shown.every((each) => each === 'kept')) return 'kept'
  const isAlike = sent.length === received.length && !shown.includes('changed') && !shown.includes('missing')
  // A list may be a set.
  const [some, others] = [sent, received].map((list) => [...new Set(list.map(canonical))].sort().join())
  return isAlike || some === others ? 'in another form' : 'changed'
}

/** What no schema declares may be dropped. */
function isSameObject(sent: Members, received: Members, { properties, source }: FlatSchema, method: string): Shown {
  if (Object.keys(properties).length === 0) return 'in another form'
  const names = Object.keys(sent).filter((name) => Object.hasOwn(properties, name))
  const shown = names.map((name): Shown => {
    const member = flatten(properties[name]!, source)
    if (member.isReadOnly || member.isWriteOnly) return 'kept'
    return shownAs(sent[name], Object.hasOwn(received, name) ? received[name] : undefined, member, method)
  })
  return (['changed', 'missing', 'in another form'] as const).find((each) => shown.includes(each)) ?? 'kept'
}
