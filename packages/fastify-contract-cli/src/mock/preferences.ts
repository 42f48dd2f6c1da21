import { type ContractOperation, type Exampled, declaredResponse, framingOf } from 'fastify-contract/document'
import { statusesOf, successOf } from '../suite/ground/contract.ts'
import { canonical } from '../suite/ground/exact-json.ts'
import { type Members, isObject } from '../suite/ground/members.ts'

/** A response of an operation, and the name of its example. */
export interface ChosenResponse {
  status: number
  example?: string | undefined
}

/**
 * Reads `Prefer: code=404` and `Prefer: example=name` (RFC 7240).
 *
 * @returns undefined without a preference, or for one of an undeclared status or example: RFC 7240 has it ignored
 */
export function preferenceOf(
  header: string | string[] | undefined,
  operation: ContractOperation,
): ChosenResponse | undefined {
  const given = new Map<string, string>()
  for (const [, name = '', quoted, token] of [header ?? ''].join().matchAll(preference)) {
    const lower = name.toLowerCase()
    if (!given.has(lower)) given.set(lower, quoted ?? token ?? '')
  }
  const [code, example] = [given.get('code'), given.get('example')]
  if (code === undefined) return example === undefined ? undefined : exampledIn(operation, [example])
  const isDeclared =
    /^[2-5]\d\d$/.test(code) && declaredResponse(operation.object.responses, Number(code)) !== undefined
  return isDeclared ? { status: Number(code), example } : undefined
}

const preference = /(?<=^|[,;])\s*(code|example)\s*=\s*(?:"([^"]*)"|([^\s,;"]+))/gi

/**
 * The media type that a client prefers: a stream of events where its body says `stream: true`, although most clients ask
 * for JSON then, too.
 *
 * @param accept the declared type that its header Accept selects; without the header, this is the first
 * @returns undefined for the usual one
 */
export function preferredType(body: unknown, accept = '', header = ''): string | undefined {
  if (isObject(body) && body['stream'] === true) return 'text/event-stream'
  const isAsked = framingOf(accept) !== 'events' || /text\/event-stream/i.test(header)
  return isAsked ? accept : undefined
}

/** The values of a request, by place. */
export interface RequestValues {
  path?: Members
  query?: Members
  querystring?: unknown
  header?: Members
  body?: unknown
}

/** The response with an example of the same name as that of the request's body or of one of its parameters. */
export function exampledBy(operation: ContractOperation, values: RequestValues): ChosenResponse | undefined {
  const { parameters, object } = operation
  const bodies = Object.values(object.requestBody?.content ?? {}).flatMap((media) => namesOf(media, values.body))
  const parameterExamples = parameters.flatMap((parameter) => {
    if (parameter.in === 'querystring') return namesOf(parameter, values.querystring)
    const given = parameter.in === 'cookie' ? undefined : values[parameter.in]
    return namesOf(parameter, given?.[parameter.name])
  })
  return exampledIn(operation, [...bodies, ...parameterExamples])
}

/** The names of the examples that a value equals. */
function namesOf({ examples = {} }: Exampled, value: unknown): string[] {
  const named = Object.entries(examples)
  if (value === undefined || named.length === 0) return []
  const text = canonical(value)
  return named.filter(([, example]) => canonical(example.value) === text).map(([name]) => name)
}

/** The response with an example of one of these names, a successful one first. */
function exampledIn(operation: ContractOperation, names: readonly string[]): ChosenResponse | undefined {
  if (names.length === 0) return undefined
  const statuses = [successOf(operation), ...statusesOf(operation, 500)]
  for (const example of names) {
    const status = statuses.find((each) => {
      const { content = {} } = declaredResponse(operation.object.responses, each) ?? {}
      return Object.values(content).some(({ examples = {} }) => Object.hasOwn(examples, example))
    })
    if (status !== undefined) return { status, example }
  }
  return undefined
}
