import type { ContractResponse, Exampled } from '../../packages/fastify-contract/src/document/document.ts'
import type { Schema } from '../../packages/fastify-contract/src/schema/schema-parts.ts'
import { type ReceivedResponse, type SentRequest, operationOf } from '../support/responses/check-response.ts'
import { expectedContract, expectedErrors, expectedOperations } from '../support/responses/expected-contract.ts'
import { propertiesOf } from './values/flat-schema.ts'

/** What answers a request for which the contract has no operation. */
const unmatched = '(no operation)'

/** Every response that the contract declares, by operation and status. */
const declared: readonly [operation: string, responses: Record<string, ContractResponse>][] = [
  ...expectedOperations.map(({ id, object }) => [id, object.responses] as [string, Record<string, ContractResponse>]),
  [unmatched, expectedContract['x-unmatched-responses'] ?? {}],
]

/** Counts what of the contract has been seen in responses. */
export class Coverage {
  #requests = 0
  readonly #statuses = new Map<string, number>()
  readonly #errors = new Map<number, number>()
  /** Headers, media types and properties that were there or not, in the words in which a gap is told. */
  readonly #seen = new Set<string>()
  readonly #seenExamples = new Set<string>()

  get requests(): number {
    return this.#requests
  }

  /** Takes a response into account, whether it keeps the contract or not. */
  record(request: SentRequest, response: ReceivedResponse): void {
    this.#requests++
    const operation = operationOf(request)?.id ?? unmatched
    const status = String(response.status)
    const place = `${operation} ${status}`
    this.#statuses.set(place, (this.#statuses.get(place) ?? 0) + 1)
    const known = declared.find(([id]) => id === operation)?.[1][status]
    for (const [name, header] of Object.entries(known?.headers ?? {})) {
      const value = response.headers[name.toLowerCase()]
      this.#seen.add(`${place}: header ${name} ${value === undefined ? 'absent' : 'present'}`)
      if (value !== undefined) this.#seeExamples(header, String(value), String)
    }
    if (request.method.toUpperCase() === 'HEAD' || response.text === '') return
    const type = String(response.headers['content-type'])
    this.#seen.add(`${place}: media type ${type}`)
    const media = known?.content?.[type]
    const body: unknown = parsed(response.text)
    if (media === undefined || body === undefined) return
    this.#seeExamples(media, canonical(body), canonical)
    this.#seeProperties(place, body, media.schema)
  }

  #seeProperties(place: string, body: unknown, schema: Schema | undefined): void {
    for (const object of Array.isArray(body) ? (body as unknown[]) : [body]) {
      for (const name of propertiesOf(itemOf(schema)).keys()) {
        const isPresent = typeof object === 'object' && object !== null && name in object
        this.#seen.add(`${place}: property ${name} ${isPresent ? 'present' : 'absent'}`)
      }
      const { error } = (object ?? {}) as { error?: unknown }
      if (typeof error === 'number') this.#errors.set(error, (this.#errors.get(error) ?? 0) + 1)
    }
  }

  /** A response that several operations share has its examples in common, too: one operation has to give them. */
  #seeExamples(holder: Exampled, value: string, written: (example: unknown) => string): void {
    for (const { name, value: example } of examplesOf(holder)) {
      if (written(example) === value) this.#seenExamples.add(`${String(idOf(holder))} ${name}`)
    }
  }

  /**
   * Everything that the contract declares and no response has shown, and what responses have shown that it does not
   * declare.
   */
  gaps(): string[] {
    const gaps: string[] = []
    const places = new Set<string>()
    const told = new Set<Exampled>()
    const wanted = (name: string): void => {
      if (!this.#seen.has(name)) gaps.push(`never seen: ${name}`)
    }
    for (const [operation, responses] of declared) {
      for (const [status, response] of Object.entries(responses)) {
        const place = `${operation} ${status}`
        places.add(place)
        if (!this.#statuses.has(place)) {
          gaps.push(`never seen: ${place}`)
          continue
        }
        for (const [name, header] of Object.entries(response.headers ?? {})) {
          wanted(`${place}: header ${name} present`)
          // What is always there is required, and clients may be told so.
          if (header.required !== true) wanted(`${place}: header ${name} absent`)
          gaps.push(...this.#unseenExamples(header, `${place}: header ${name}`, told))
        }
        for (const [type, media] of Object.entries(response.content ?? {})) {
          wanted(`${place}: media type ${type}`)
          gaps.push(...this.#unseenExamples(media, place, told))
          for (const [name, isRequired] of propertiesOf(itemOf(media.schema))) {
            wanted(`${place}: property ${name} present`)
            if (!isRequired) wanted(`${place}: property ${name} absent`)
          }
        }
      }
    }
    gaps.push(
      ...[...this.#statuses.keys()].filter((place) => !places.has(place)).map((place) => `not declared: ${place}`),
    )
    gaps.push(
      ...[...expectedErrors]
        .filter(([, number]) => !this.#errors.has(number ?? NaN))
        .map(([name, number]) => `never seen: error ${String(number)} ${name}`),
    )
    gaps.push(
      ...[...this.#errors.keys()]
        .filter((number) => ![...expectedErrors.values()].includes(number))
        .map((number) => `not declared: error ${String(number)}`),
    )
    return gaps
  }

  #unseenExamples(holder: Exampled, place: string, told: Set<Exampled>): string[] {
    if (told.has(holder)) return []
    told.add(holder)
    return examplesOf(holder)
      .filter(({ name }) => !this.#seenExamples.has(`${String(idOf(holder))} ${name}`))
      .map(({ name, value }) => `never answered: the example ${name} of ${place}: ${canonical(value)}`)
  }

  /** Each operation with each declared status and how often it was seen, then each error number. */
  table(): string {
    const statuses = [...new Set(declared.flatMap(([, responses]) => Object.keys(responses)))].sort()
    const rows = declared.map(([operation, responses]) => [
      operation,
      ...statuses.map((status) =>
        status in responses ? String(this.#statuses.get(`${operation} ${status}`) ?? 0) : '',
      ),
    ])
    const lines = [['operation', ...statuses], ...rows].map((row) =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(16) : cell.padStart(6))).join(''),
    )
    const errors = [...expectedErrors].map(
      ([name, number]) => `${String(number)} ${name}: ${String(this.#errors.get(number ?? NaN) ?? 0)}`,
    )
    return [...lines, '', ...errors, '', `${String(this.#requests)} responses`].join('\n')
  }
}

const ids = new Map<object, number>()

function idOf(holder: object): number {
  const id = ids.get(holder) ?? ids.size
  ids.set(holder, id)
  return id
}

function itemOf(schema: Schema | undefined): Schema | undefined {
  return schema?.['type'] === 'array' ? (schema['items'] as Schema) : schema
}

/** The examples of a parameter, a header or a media type by name; one that has none is `(unnamed)`. */
export function examplesOf({ example, examples }: Exampled): { name: string; value: unknown }[] {
  const named = Object.entries(examples ?? {}).map(([name, { value }]) => ({ name, value }))
  return example === undefined ? named : [...named, { name: '(unnamed)', value: example }]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON in which the order of properties does not count. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') return JSON.rawJSON(String(member))
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
