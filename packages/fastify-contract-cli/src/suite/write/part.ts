import type { ContractOperation, Encoding, Exampled, Parameter } from 'fastify-contract/document'
import { isJson, isRange, kindOf, stylesOf } from 'fastify-contract/document'
import type { Subschema } from 'fastify-contract/schema'
import { type SchemaSource, flatten, sent } from '../draw/flat-schema.ts'

/** What can be in a request: a parameter, a body of a media type, or a field of a form in one of them. */
export interface Part {
  /** Where it is in `RequestParts`, such as `query`, `limit`. */
  path: readonly [place: Parameter['in'] | 'body', ...names: string[]]
  name: string
  schema: Subschema
  isRequired: boolean
  /** What is written: JSON, a text, one in a style, an item of it, names with brackets, the fields of a form, or bytes. */
  as: 'json' | 'text' | 'styled' | 'item' | 'deep' | 'form' | 'bytes'
  style: string
  explode: boolean
  /** How an object becomes text in place of a scalar; undefined if it does not. */
  objects: 'members' | 'json' | undefined
  /** Whether texts are percent-encoded, which hides what separates them. */
  isEncoded: boolean
  /** The media type of its content, or of the body that it is in. */
  type: string
  /** The media type that a field has of its own. */
  fieldType?: string | undefined
  /** How the fields of a form are written. */
  encodings: Readonly<Record<string, Encoding>>
  /** What has examples of it. */
  exampled: readonly Exampled[]
}

/** A parameter as a part of requests. */
export function parameterPart(parameter: Parameter): Part {
  const { in: place, name, schema, content = {}, required = false } = parameter
  const { style = stylesOf[place][0] ?? '', explode = style === 'form' } = parameter
  const [type, media] = Object.entries(content)[0] ?? []
  return {
    path: [place, name],
    name,
    schema: schema ?? media?.schema ?? {},
    isRequired: required,
    as: asOfParameter(place, style, type),
    style,
    explode: explode && place !== 'cookie',
    objects: 'members',
    isEncoded: place !== 'header' && place !== 'cookie',
    type: type ?? '',
    encodings: media?.encoding ?? {},
    exampled: [parameter, ...(media === undefined ? [] : [media])],
  }
}

function asOfParameter(place: Parameter['in'], style: string, type: string | undefined): Part['as'] {
  if (type === undefined) return style === 'deepObject' ? 'deep' : 'styled'
  if (isJson(type)) return 'json'
  if (place !== 'querystring') return 'bytes'
  return kindOf(type) === 'form' ? 'form' : 'text'
}

function asOf(type: string): Part['as'] {
  const kind = kindOf(type)
  return kind === 'multipart' ? 'form' : kind
}

/** A body of any JSON. */
export const jsonBody: Part = {
  path: ['body'],
  name: '',
  schema: {},
  isRequired: true,
  as: 'json',
  style: '',
  explode: false,
  objects: undefined,
  isEncoded: false,
  type: 'application/json',
  encodings: {},
  exampled: [],
}

/** The bodies of an operation, a part for each media type, JSON first; a range stands for one of its types. */
export function bodyParts({ object: { requestBody } }: ContractOperation): Part[] {
  const { content = {}, required = false } = requestBody ?? {}
  const types = Object.keys(content).filter((type) => !type.includes('*') || isRange(type))
  const inOrder = types.toSorted((a, b) => Number(kindOf(b) === 'json') - Number(kindOf(a) === 'json'))
  return inOrder.map((type) => {
    const { schema = {}, encoding: encodings = {}, ...media } = content[type] ?? {}
    const written = { as: asOf(type), isEncoded: kindOf(type) === 'form', type, encodings }
    return { ...jsonBody, name: type, schema, isRequired: required, ...written, exampled: [media] }
  })
}

/** The declared fields of a form. Those of a query that may be left out may be left out, too. */
export function fieldParts(form: Part, source: SchemaSource): Part[] {
  const { properties, required } = sent(flatten(form.schema, source))
  const isNeeded = form.isRequired || form.path[0] === 'body'
  return Object.entries(properties).map(([name, schema]) => {
    return { ...fieldOf(form, name), schema, isRequired: isNeeded && required.includes(name) }
  })
}

/** A field of a form. Its style counts, or else its media type, of which it has the first (OpenAPI 3.1, "Encoding Object"). */
export function fieldOf(form: Part, name: string): Part {
  const { style, explode, contentType } = (Object.hasOwn(form.encodings, name) ? form.encodings[name] : undefined) ?? {}
  const isStyled = style !== undefined || explode !== undefined
  const [type] = isStyled || kindOf(form.type) !== 'multipart' ? [] : (contentType?.split(/,\s*/) ?? [])
  return {
    ...form,
    path: [...form.path, name],
    name,
    schema: {},
    as: style === 'deepObject' ? 'deep' : 'styled',
    style: style ?? 'form',
    explode: explode ?? (style ?? 'form') === 'form',
    objects: isStyled ? undefined : 'json',
    fieldType: type?.replace('*/*', 'text/plain').replace('/*', '/x-any'),
    encodings: {},
    exampled: [],
  }
}
