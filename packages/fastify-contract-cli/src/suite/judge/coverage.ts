import type { ContractResponse, Exampled, MediaType } from 'fastify-contract/document'
import type { Subschema } from 'fastify-contract/schema'
import { type SentRequest, type TestedContract, declaredType } from '../ground/contract.ts'
import { operationOf, responseTo, routeOf } from '../ground/contract.ts'
import { canonical, parseExactly } from '../ground/exact-json.ts'
import { flatten } from '../draw/flat-schema.ts'
import { itemsOf } from '../send/items.ts'
import { examplesOf } from '../ground/examples.ts'
import type { ReceivedResponse } from '../ground/exchange.ts'
import { exampleText } from './example-text.ts'

/** The name of the responses to requests for which the contract has no operation. */
const unmatched = '(no operation)'

/** Notes what of the contract has been seen in responses. */
export class Coverage {
  readonly #contract: TestedContract
  /** Every response that the contract declares, by operation and status. */
  readonly #declared: ReadonlyMap<string, Record<string, ContractResponse>>
  #responses = 0
  readonly #statuses = new Map<string, number>()
  /** How often each operation has answered each status. */
  readonly #received = new Map<string, Map<number, number>>()
  /** What must be seen and has not been, with what is said of it. Operations may have examples and values in common. */
  readonly #unseen = new Map<string, string>()
  readonly #undeclared = new Set<string>()

  constructor(contract: TestedContract) {
    this.#contract = contract
    this.#declared = new Map([
      ...contract.operations.map(({ id, object }) => [id, object.responses] as const),
      ...(contract.unmatched === undefined ? [] : [[unmatched, contract.unmatched] as const]),
    ])
    for (const [operation, responses] of this.#declared) {
      for (const [status, response] of Object.entries(responses)) this.#want(`${operation} ${status}`, response)
    }
  }

  #want(place: string, { headers = {}, content = {} }: ContractResponse): void {
    const want = (fact: string) => this.#unseen.set(fact, `never seen: ${fact}`)
    const wantExamples = (at: string, holder: Exampled, write: (value: unknown) => string) => {
      for (const [name, value] of examplesOf(holder)) {
        this.#unseen.set(exampleOf(write(value)), `never answered: the example ${name} of ${at}: ${write(value)}`)
      }
    }
    want(place)
    for (const [name, header] of Object.entries(headers)) {
      want(`${place}: header ${name} present`)
      // What is always there is required, and clients may be told so.
      if (header.required !== true) want(`${place}: header ${name} absent`)
      wantExamples(`${place}: header ${name}`, header, String)
    }
    for (const [type, media] of Object.entries(content)) {
      want(`${place}: media type ${type}`)
      for (const [name, isRequired, schema] of this.#membersOf(media.itemSchema ?? media.schema)) {
        want(`${place}: property ${name} present`)
        const { assertions, default: filled } = flatten(schema, this.#contract)
        // A default fills in what a request leaves out, so that a response may always have it.
        if (!isRequired && filled === undefined) want(`${place}: property ${name} absent`)
        for (const value of assertions.enum ?? []) want(valueOf(name, value))
      }
      wantExamples(place, media, (value) => exampleText(value, media, this.#contract))
    }
  }

  /** Takes a response into account, whether it keeps the contract or not. */
  record(request: SentRequest, received: ReceivedResponse): void {
    const { status, headers } = received
    this.#responses++
    const [key, response] = responseTo(this.#contract, request, status) ?? [String(status)]
    const operation = operationOf(this.#contract, request)?.id ?? unmatched
    const place = `${operation} ${key}`
    this.#statuses.set(place, (this.#statuses.get(place) ?? 0) + 1)
    const counts = this.#received.get(operation) ?? new Map<number, number>()
    this.#received.set(operation, counts.set(status, (counts.get(status) ?? 0) + 1))
    this.#unseen.delete(place)
    if (response === undefined && this.#declared.has(operation)) this.#undeclared.add(place)
    for (const name of Object.keys(response?.headers ?? {})) {
      const value = headers[name.toLowerCase()]
      this.#unseen.delete(`${place}: header ${name} ${value === undefined ? 'absent' : 'present'}`)
      if (value !== undefined) this.#unseen.delete(exampleOf(String(value)))
    }
    if (request.method.toUpperCase() === 'HEAD') return
    const { content = {} } = response ?? {}
    const type = declaredType(Object.keys(content), String(headers['content-type'])) ?? ''
    const media = content[type]
    if (media !== undefined) this.#recordBody(`${place}: `, type, media, received)
  }

  #recordBody(place: string, type: string, media: MediaType, received: ReceivedResponse): void {
    this.#unseen.delete(`${place}media type ${type}`)
    let body: unknown
    try {
      body = itemsOf(this.#contract, media, received) ?? parseExactly(received.text)
    } catch {
      return
    }
    this.#unseen.delete(exampleOf(exampleText(body, media, this.#contract)))
    const declared = this.#membersOf(media.itemSchema ?? media.schema)
    for (const object of [body].flat()) {
      const members = new Map(Object.entries(object ?? {}))
      for (const [name] of declared) {
        this.#unseen.delete(`${place}property ${name} ${members.has(name) ? 'present' : 'absent'}`)
        if (members.has(name)) this.#unseen.delete(valueOf(name, members.get(name)))
      }
    }
  }

  /** The properties of a response's body, or of the items of its list, and whether each is required. */
  #membersOf(schema: Subschema = {}): [name: string, isRequired: boolean, schema: Subschema][] {
    const whole = flatten(schema, this.#contract)
    const { items } = whole.assertions
    const { properties, required } = items === undefined ? whole : flatten(items, this.#contract)
    return Object.entries(properties)
      .filter(([, property]) => !flatten(property, this.#contract).isWriteOnly)
      .map(([name, property]) => [name, required.includes(name), property])
  }

  /** How often an operation has answered each status. */
  statusesOf(operation: string): ReadonlyMap<number, number> {
    return this.#received.get(operation) ?? new Map()
  }

  /**
   * What the contract declares and no response has shown, and what responses have shown that it does not declare.
   *
   * @param which `declared` leaves out properties, values, examples, and headers that were always there
   * @param of the operations whose gaps `declared` gives; all by default
   */
  gaps(which: 'all' | 'declared' = 'all', of = this.#contract.operations): string[] {
    // Of a response that was never seen, nothing else was.
    const isTelling = (fact: string) => !fact.includes(': ') || !this.#unseen.has(fact.split(': ', 1).join())
    const unseen = [...this.#unseen].filter(([fact]) => isTelling(fact))
    if (which === 'all') {
      return [...unseen.map(([, text]) => text), ...[...this.#undeclared].map((fact) => `not declared: ${fact}`)]
    }
    return unseen
      .filter(([fact]) => !/^(?:value|example) |: (?:property .*|header .* absent)$/.test(fact))
      .filter(([fact]) => of.some(({ id }) => fact.startsWith(`${id} `)))
      .map(([fact]) => `never seen: ${this.#routed(fact).replace(/ present$/, '')}`)
  }

  /** Names the operation of a fact by its method and path. */
  #routed(fact: string): string {
    const operation = this.#contract.operations.find(({ id }) => fact.startsWith(`${id} `))
    return operation === undefined ? fact : `${routeOf(operation)}${fact.slice(operation.id.length)}`
  }

  /** Each operation with each declared status, and how often it was seen. */
  table(): string {
    const statuses = [...new Set([...this.#declared.values()].flatMap(Object.keys))].sort()
    const rows = [...this.#declared].map(([operation, responses]) => {
      const counts = statuses.map((status) => this.#statuses.get(`${operation} ${status}`) ?? 0)
      return [operation, ...counts.map((count, index) => (statuses[index]! in responses ? String(count) : ''))]
    })
    const lines = [['operation', ...statuses], ...rows].map(([operation = '', ...cells]) =>
      [operation.padEnd(16), ...cells.map((cell) => cell.padStart(6))].join(''),
    )
    return [...lines, '', `${String(this.#responses)} responses`].join('\n')
  }
}

const exampleOf = (text: string) => `example ${text}`
const valueOf = (name: string, value: unknown) => `value ${canonical(value)} of ${name}`
