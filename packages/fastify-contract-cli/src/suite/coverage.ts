import type { ContractResponse, Exampled } from 'fastify-contract/document'
import type { Schema } from 'fastify-contract/schema'
import {
  type ReceivedResponse,
  type SentRequest,
  declaredResponse,
  operationOf,
  parseExactly,
} from './check-response.ts'
import { expectedContract, expectedErrors, expectedOperations } from './expected-contract.ts'
import { examplesOf } from './requests.ts'
import { flatten } from './values.ts'

/** What answers a request for which the contract has no operation. */
const unmatched = '(no operation)'

/** Every response that the contract declares, by operation and status. */
const declared = new Map<string, Record<string, ContractResponse>>([
  ...expectedOperations.map(({ id, object }) => [id, object.responses] as const),
  [unmatched, expectedContract['x-unmatched-responses'] ?? {}],
])

/** Notes what of the contract has been seen in responses. */
export class Coverage {
  #responses = 0
  readonly #statuses = new Map<string, number>()
  /** What must be seen and has not been. */
  readonly #unseen = new Set<string>()
  /** The examples that have not been answered, by what has them. Operations may have a response in common. */
  readonly #examples = new Map<Exampled, { place: string; left: Map<string, string> }>()
  readonly #undeclared = new Set<string>()

  constructor() {
    for (const [operation, responses] of declared) {
      for (const [status, response] of Object.entries(responses)) this.#want(`${operation} ${status}`, response)
    }
    for (const [name, number] of expectedErrors) this.#unseen.add(`error ${String(number)} ${name}`)
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
      for (const [name, isRequired] of membersOf(media.schema)) {
        this.#unseen.add(`${place}: property ${name} present`)
        if (!isRequired) this.#unseen.add(`${place}: property ${name} absent`)
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
    const [key, response] = declaredResponse(request, status) ?? [String(status)]
    const place = `${operationOf(request)?.id ?? unmatched} ${key}`
    this.#statuses.set(place, (this.#statuses.get(place) ?? 0) + 1)
    this.#unseen.delete(place)
    if (response === undefined) this.#undeclared.add(place)
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
      for (const [name] of membersOf(media.schema)) {
        this.#unseen.delete(`${place}property ${name} ${members.has(name) ? 'present' : 'absent'}`)
      }
      const error: unknown = members.get('error')
      if (typeof error !== 'number') continue
      const [name] = [...expectedErrors].find(([, number]) => number === error) ?? []
      if (name === undefined) this.#undeclared.add(`error ${String(error)}`)
      this.#unseen.delete(`error ${String(error)} ${String(name)}`)
    }
  }

  /** What the contract declares and no response has shown, and what responses have shown that it does not declare. */
  gaps(): string[] {
    const isWorthTelling = (fact: string) => !this.#unseen.has(fact.split(': ', 1).join()) || !fact.includes(': ')
    return [
      ...[...this.#unseen].filter(isWorthTelling).map((fact) => `never seen: ${fact}`),
      ...[...this.#examples.values()].flatMap(({ place, left }) =>
        [...left].map(([value, name]) => `never answered: the example ${name} of ${place}: ${value}`),
      ),
      ...[...this.#undeclared].map((fact) => `not declared: ${fact}`),
    ]
  }

  /** Each operation with each declared status, and how often it was seen. */
  table(): string {
    const statuses = [...new Set([...declared.values()].flatMap(Object.keys))].sort()
    const rows = [...declared].map(([operation, responses]) => {
      const counts = statuses.map((status) => this.#statuses.get(`${operation} ${status}`) ?? 0)
      return [operation, ...counts.map((count, index) => (statuses[index]! in responses ? String(count) : ''))]
    })
    const lines = [['operation', ...statuses], ...rows].map(([operation = '', ...cells]) =>
      [operation.padEnd(16), ...cells.map((cell) => cell.padStart(6))].join(''),
    )
    return [...lines, '', `${String(this.#responses)} responses`].join('\n')
  }
}

/** The properties of a response's body, or of the items of its list, and whether each is required. */
function membersOf(schema: Schema = {}): [name: string, isRequired: boolean][] {
  const { properties, required } = flatten(schema['type'] === 'array' ? (schema['items'] as Schema) : schema)
  return Object.entries(properties)
    .filter(([, property]) => property['writeOnly'] !== true)
    .map(([name]) => [name, required.includes(name)])
}

/** JSON in which the order of properties does not count. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') return JSON.rawJSON(String(member))
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
