import type { ContractResponse, Exampled } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import { type SentRequest, type TestedContract, declaredResponse, operationOf, routeOf } from './contract.ts'
import { canonical, parseExactly } from './exact-json.ts'
import { examplesOf } from './examples.ts'
import { flatten } from './flat-schema.ts'
import type { ReceivedResponse } from './response-checks.ts'

/** The name of the responses to requests for which the contract has no operation. */
const unmatched = '(no operation)'

/** Notes what of the contract has been seen in responses. */
export class Coverage {
  readonly #contract: TestedContract
  /** Every response that the contract declares, by operation and status. */
  readonly #declared: ReadonlyMap<string, Record<string, ContractResponse>>
  #responses = 0
  readonly #statuses = new Map<string, number>()
  /** What must be seen and has not been. */
  readonly #unseen = new Set<string>()
  /** The examples that have not been answered, by what has them. Operations may have a response in common. */
  readonly #examples = new Map<Exampled, { place: string; left: Map<string, string> }>()
  /** The values of the properties of responses that are one of a list, by the schema that lists them. */
  readonly #values = new Map<unknown, { name: string; left: Set<string> }>()
  readonly #undeclared = new Set<string>()

  constructor(contract: TestedContract) {
    this.#contract = contract
    const others = contract.document['x-unmatched-responses']
    this.#declared = new Map([
      ...contract.operations.map(({ id, object }) => [id, object.responses] as const),
      ...(others === undefined ? [] : [[unmatched, others] as const]),
    ])
    for (const [operation, responses] of this.#declared) {
      for (const [status, response] of Object.entries(responses)) this.#want(`${operation} ${status}`, response)
    }
  }

  #want(place: string, { headers = {}, content = {} }: ContractResponse): void {
    this.#unseen.add(place)
    for (const [name, header] of Object.entries(headers)) {
      this.#unseen.add(`${place}: header ${name} present`)
      // What is always there is required, and clients may be told so.
      if (header.required !== true) this.#unseen.add(`${place}: header ${name} absent`)
      this.#wantExamples(`${place}: header ${name}`, header, String)
    }
    for (const [type, media] of Object.entries(content)) {
      this.#unseen.add(`${place}: media type ${type}`)
      for (const [name, isRequired, schema] of this.#membersOf(media.schema)) {
        this.#unseen.add(`${place}: property ${name} present`)
        if (!isRequired) this.#unseen.add(`${place}: property ${name} absent`)
        const values = flatten(schema, this.#contract).assertions.enum ?? []
        if (!this.#values.has(schema)) this.#values.set(schema, { name, left: new Set(values.map(canonical)) })
      }
      this.#wantExamples(place, media, canonical)
    }
  }

  #wantExamples(place: string, holder: Exampled, write: (value: unknown) => string): void {
    const left = [...examplesOf(holder)].map(([name, value]): [string, string] => [write(value), name])
    this.#examples.set(holder, this.#examples.get(holder) ?? { place, left: new Map(left) })
  }

  /** Takes a response into account, whether it keeps the contract or not. */
  record(request: SentRequest, { status, headers, text }: ReceivedResponse): void {
    this.#responses++
    const [key, response] = declaredResponse(this.#contract, request, status) ?? [String(status)]
    const operation = operationOf(this.#contract, request)?.id ?? unmatched
    const place = `${operation} ${key}`
    this.#statuses.set(place, (this.#statuses.get(place) ?? 0) + 1)
    this.#unseen.delete(place)
    if (response === undefined && this.#declared.has(operation)) this.#undeclared.add(place)
    for (const [name, header] of Object.entries(response?.headers ?? {})) {
      const value = headers[name.toLowerCase()]
      this.#unseen.delete(`${place}: header ${name} ${value === undefined ? 'absent' : 'present'}`)
      if (value !== undefined) this.#examples.get(header)?.left.delete(String(value))
    }
    if (request.method.toUpperCase() === 'HEAD' || text === '') return
    const type = String(headers['content-type'])
    const media = response?.content?.[type]
    if (media !== undefined) this.#recordBody(`${place}: `, type, media, text)
  }

  #recordBody(place: string, type: string, media: Exampled & { schema?: Schema }, text: string): void {
    this.#unseen.delete(`${place}media type ${type}`)
    let body: unknown
    try {
      body = parseExactly(text)
    } catch {
      return
    }
    this.#examples.get(media)?.left.delete(canonical(body))
    for (const object of [body].flat()) {
      const members = new Map(Object.entries(object ?? {}))
      for (const [name, , schema] of this.#membersOf(media.schema)) {
        this.#unseen.delete(`${place}property ${name} ${members.has(name) ? 'present' : 'absent'}`)
        if (members.has(name)) this.#values.get(schema)?.left.delete(canonical(members.get(name)))
      }
    }
  }

  /** The properties of a response's body, or of the items of its list, and whether each is required. */
  #membersOf(schema: Schema = {}): [name: string, isRequired: boolean, schema: Schema][] {
    const whole = flatten(schema, this.#contract)
    const { items } = whole.assertions
    const { properties, required } = items === undefined ? whole : flatten(items, this.#contract)
    return Object.entries(properties)
      .filter(([, property]) => !flatten(property, this.#contract).isWriteOnly)
      .map(([name, property]) => [name, required.includes(name), property])
  }

  /**
   * What the contract declares and no response has shown, and what responses have shown that it does not declare.
   *
   * @param which `declared` leaves out properties, values, examples, and headers that were always there
   */
  gaps(which: 'all' | 'declared' = 'all'): string[] {
    const isWorthTelling = (fact: string) => !this.#unseen.has(fact.split(': ', 1).join()) || !fact.includes(': ')
    const unseen = [...this.#unseen].filter(isWorthTelling)
    if (which === 'declared') {
      const declared = unseen.filter((fact) => !/: (?:property .*|header .* absent)$/.test(fact))
      return declared.map((fact) => `never seen: ${this.#routed(fact).replace(/ present$/, '')}`)
    }
    return [
      ...unseen.map((fact) => `never seen: ${fact}`),
      ...[...this.#values.values()].flatMap(({ name, left }) =>
        [...left].map((value) => `never seen: the value ${value} of ${name}`),
      ),
      ...[...this.#examples.values()].flatMap(({ place, left }) =>
        [...left].map(([value, name]) => `never answered: the example ${name} of ${place}: ${value}`),
      ),
      ...[...this.#undeclared].map((fact) => `not declared: ${fact}`),
    ]
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
