import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { contractOf, dataOf, failures, json, noContent } from './contracts.ts'

type Members = Record<string, unknown>

/** Objects of a contract. What is around them is as small as it can be. */
export interface Parts {
  /** All of it. */
  contract?: Members
  document?: object
  components?: Members
  /** Their operations have 204 and the failures, unless they say otherwise. */
  paths?: Record<string, Members>
  /** Of `/things`. */
  pathItem?: Members
  /** `GET /things`. */
  operation?: object
  /** Of `GET /things`: a text in the query named `a`, unless it says otherwise. */
  parameter?: object
  /** Of `GET /things`, with the status 200. */
  response?: object
  /** `X-Mark` of that response, a text. */
  header?: object
  /** Of `POST /things`. */
  requestBody?: object
  /** Of a form that `POST /things` takes, with an object `a` and a text `b`. */
  encoding?: object
  /** Of the property `value` of what `POST /things` takes. It may refer to the schema `Node`. */
  schema?: object
  /** The one of the operations. */
  securityScheme?: object
}

/** An entry of a file in keywords/. In messages and texts, `…` stands for any text, and `<place>` for a line and column. */
interface Case extends Parts {
  /** The file. */
  keyword: string
  /** The one reason why the contract is refused, without its place. */
  refused?: string
  /** The one warning. */
  warned?: string
  /** The beginning of a warning about two words that leave no value. */
  contradiction?: string
  /** There is no warning. */
  taken?: true
  /** Of the reason. */
  column?: number
  /** Values of the schema, as JSON text. */
  valid?: string[]
  invalid?: string[]
  /** Only one direction is told apart. */
  only?: 'request' | 'response'
  /** Whether the suite knows only after many values that none is valid. */
  isFoundByTrial?: true
  /** The method and the URL of a request to the contract `served`. */
  send?: string
  type?: string
  headers?: Record<string, string>
  body?: string
  /** The status and the text of its response, and headers that it has. */
  to?: number
  text?: string
  has?: Record<string, string>
}

const parts =
  'contract document components paths pathItem operation parameter response header requestBody encoding schema'
const others = 'securityScheme column invalid only isFoundByTrial type headers body to text has'
/** What a case is about; each has one of them. */
const verdicts = ['refused', 'warned', 'contradiction', 'taken', 'valid', 'send']
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query']
const members = new Set([...`${parts} ${others}`.split(' '), ...verdicts])

const folder = join(import.meta.dirname, 'keywords')
const read = (file: string) => dataOf(join('keywords', file))

export const cases = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => {
    // The names of the members are checked.
    return (read(file) as Omit<Case, 'keyword'>[]).map((each): Case => {
      const names = Object.keys(each)
      const isClear = names.filter((name) => verdicts.includes(name)).length === 1
      if (!isClear || !names.every((name) => members.has(name))) throw new Error(`${file}: ${names.join()}`)
      const warned =
        each.contradiction && `${each.contradiction}, so that nothing is valid; correct one of them (<place>)`
      return { keyword: file.slice(0, -'.yaml'.length), ...each, ...(warned && { warned }) }
    })
  })

/** The cases that have these members. */
export function casesWith<Name extends keyof Case>(...names: Name[]) {
  return cases.filter((each): each is Case & Required<Pick<Case, Name>> => names.every((name) => name in each))
}
/** Schemas, and what they let through and what not. */
export const validated = casesWith('schema', 'valid').map(({ invalid = [], ...each }) => ({ ...each, invalid }))
/** Schemas of which two words leave nothing, with values that one of them alone would allow. */
export const unsatisfiable = casesWith('schema', 'invalid').filter(({ valid }) => valid === undefined)

// The files are not checked: the tests would fail on another form.
/** The schemas that the cases refer to. */
export const schemas = read('shared/schemas.yaml') as Members
/** Schemas that are fine, each with values that go through unchanged, and the schemas that they refer to. */
export const accepted = read('shared/accepted.yaml') as {
  schemas: Members
  unchanged: { schema: object; values: string[] }[]
}
/** A contract with every keyword that is only shown. */
export const shown = contractOfParts(read('shared/shown.yaml') as Parts)
/** A contract with each field of OpenAPI that is enforced. */
export const served = contractOfParts(read('shared/served.yaml') as Parts)

/** Makes a contract that has these objects. */
export function contractOfParts({ contract, document, components, ...parts }: Parts): Members {
  if (contract !== undefined) return contract
  const { paths = { '/things': pathItemOf(parts) }, securityScheme, schema } = parts
  const answered = mapOf(paths, (item) => withResponses(item as Members))
  const bearer = securityScheme && { securitySchemes: { bearer: securityScheme } }
  const named = schema && { schemas: { ...schemas, ...(components?.['schemas'] as object | undefined) } }
  return contractOf(answered, { ...document, components: { ...components, ...bearer, ...named } })
}

function pathItemOf({
  pathItem,
  operation,
  parameter,
  response,
  header,
  requestBody,
  encoding,
  schema,
}: Parts): Members {
  const text = { schema: { type: 'string' } }
  const form = { type: 'object', properties: { a: { type: 'object' }, b: { type: 'string' } } }
  const content =
    (schema && json({ type: 'object', properties: { value: schema } })) ??
    (encoding && { 'multipart/form-data': { schema: form, encoding } })
  const body = content ? { content } : requestBody
  if (body) return { post: { operationId: 'createThing', requestBody: body } }
  const described = { name: 'a', in: 'query', ...(parameter && 'content' in parameter ? {} : text), ...parameter }
  const done = header ? { headers: { 'X-Mark': { ...text, ...header } } } : response
  const get = {
    operationId: 'listThings',
    ...(parameter && { parameters: [described] }),
    ...(done && { responses: { 200: { description: 'Done.', ...done } } }),
    ...operation,
  }
  return { get, ...pathItem }
}

function withResponses(item: Members): Members {
  return mapOf(item, (member, name) => {
    if (name === 'additionalOperations') return mapOf(member as Members, answered)
    return methods.includes(name) ? answered(member) : member
  })
}

/** Gives an operation the responses that it leaves out. An empty list of responses stays empty. */
function answered(operation: unknown): object {
  const { responses = noContent } = operation as { responses?: object }
  return { ...(operation as object), responses: { ...(Object.keys(responses).length > 0 && failures), ...responses } }
}

function mapOf(members: Members, change: (member: unknown, name: string) => unknown): Members {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]))
}

/** A text in which `…` stands for any other. */
export function like(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/\W/g, String.raw`\$&`).replaceAll(/\\…/g, '.*')}$`, 's')
}
