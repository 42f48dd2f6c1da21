import { File, isUtf8 } from 'node:buffer'
import type { Encoding } from '../document/document.ts'
import { type MediaType, createMatcher, kindOf, parseMediaType } from '../document/media-type.ts'
import { escapeName } from '../json/pointer.ts'
import { describeProblems } from '../schema/check/describe-errors.ts'
import { anyType, othersOf, propertiesOf, typesOf } from '../schema/read/meaning.ts'
import type { NamedSchemas, Subschema } from '../schema/read/schema.ts'
import { DeepTexts, type ReadText, namesBelow } from './deep-texts.ts'
import { decoded, splitRaw } from './parameter-texts.ts'
import { Refusal } from './refusal.ts'
import { textPartsOf, valueOfItems } from './text-values.ts'
import { type Reading, type TextShape, itemShapeOf, shapeOf } from './texts.ts'

/** A field of a form, as it was sent. */
export interface FormField {
  name: string
  content: string | Uint8Array<ArrayBuffer>
  /** Of a file; undefined without one. */
  filename: string | undefined
  /** The media type of the content; undefined without one. */
  type: string | undefined
  /** The content of a URL-encoded field before it was decoded. */
  raw?: string
}

/**
 * Takes `application/x-www-form-urlencoded` apart (url.spec.whatwg.org, section 5.1).
 *
 * @throws URIError if the percent-encoding is broken, which URLSearchParams replaces
 */
export function urlencodedFields(text: string): FormField[] {
  const pairs = text.split('&').filter((pair) => pair !== '')
  return pairs.map((pair) => {
    const [name = '', raw = ''] = pair.split(/=(.*)/s)
    return { name: decoded(name), content: decoded(raw), filename: undefined, type: undefined, raw }
  })
}

/** A form as an object. */
export interface FormValue {
  /** For validation: in place of a file is a string with a character for each byte. */
  value: unknown
  /** Puts the files in the place of those strings. */
  putFiles: () => void
}

interface FieldShape {
  /** That of a value, or of an item of a list; `any` without a schema. */
  shape: TextShape | 'any'
  /** Whether a field that is there once is a list, too. */
  isList: boolean
  isRepeatable: boolean
  split?: ((field: FormField, reading: Reading) => unknown) | undefined
  types?: PartTypes | undefined
}

interface PartTypes {
  /** As the contract writes them. */
  written: string
  indexOf: (type: MediaType) => number
}

/**
 * Makes the function that turns the fields of a form into the object that its schema describes: lists by repetition, an
 * object from JSON, `format: binary` as a `File`, and others as its `encoding` says. Others are texts, which are coerced
 * as those of parameters.
 *
 * @param place of the form in a request, for messages
 */
export function createFormReader(
  type: string,
  { schema = true, encoding = {} }: { schema?: Subschema; encoding?: Record<string, Encoding> },
  schemas: NamedSchemas,
  place = 'body',
) {
  const declared = propertiesOf(schema, schemas)
  const placeOf = (path: readonly string[]) => [place, ...path.map(escapeName)].join('/')
  const encodingOf = (name: string): Encoding => {
    const { contentType, ...others } = Object.hasOwn(encoding, name) ? encoding[name]! : {}
    return contentType === undefined || kindOf(type) !== 'multipart' ? others : { ...others, contentType }
  }
  const shapes = new Map(
    [...declared].map(([name, one]) => [name, fieldShapeOf(one, schemas, placeOf([name]), encodingOf(name))]),
  )
  const otherShape = fieldShapeOf(othersOf(schema, schemas) ?? true, schemas, place)
  const deep = new DeepTexts(schemas)
  const isDeep = (name: string) => declared.has(name) && encodingOf(name).style === 'deepObject'

  return (fields: readonly FormField[], reading: Reading): FormValue => {
    const members: [string, unknown][] = []
    const files: { path: readonly string[]; file: File }[] = []
    const read = (field: FormField, shape: FieldShape['shape'], path: readonly string[]): unknown => {
      if (shape === 'object') return reading.json(field.content, placeOf(path))
      if (shape !== 'file' && (shape !== 'any' || field.filename === undefined)) return textOf(field)
      files.push({ path, file: fileOf(field) })
      return Buffer.from(field.content).toString('latin1')
    }
    // A field that is declared is no part of another one.
    const nameOf = ({ name }: FormField) => {
      const [start = ''] = shapes.has(name) ? [name] : name.split('[', 1)
      return start !== name && name.endsWith(']') && isDeep(start) ? start : name
    }
    for (const [name, group] of Map.groupBy(fields, nameOf)) {
      const { shape, isList, isRepeatable, split, types } = shapes.get(name) ?? otherShape
      if (types !== undefined && !group.every(({ type }) => isOfType(type, types))) {
        reading.problems.push(`${placeOf([name])} must have the Content-Type ${types.written}`)
        continue
      }
      if (group.some((field) => field.name !== name)) {
        const parts = group.map((field) => [namesBelow(name, field.name) ?? [], [field]] as const)
        const readText: ReadText<FormField> = (field, shape, path) => read(field, shape, [name, ...path])
        members.push([
          name,
          deep.read(declared.get(name) ?? true, parts, { place: placeOf([name]), reading, readText }),
        ])
        continue
      }
      if (group.length > 1 && (!isRepeatable || split !== undefined)) {
        const remedy = split === undefined ? ', but is not a list; send it once' : '; send it once, with separators'
        reading.problems.push(`${placeOf([name])} is repeated${remedy}`)
        continue
      }
      const [first] = group
      if (split !== undefined && first !== undefined) {
        members.push([name, split(first, reading)])
        continue
      }
      const hasItems = isList || group.length > 1
      const values = group.map((field, index) => read(field, shape, hasItems ? [name, String(index)] : [name]))
      members.push([name, hasItems ? reading.markTexts(values) : values[0]])
    }
    // Unlike an assignment, this gives the object a property `__proto__`.
    const value = reading.markTexts<Record<string, unknown>>(Object.fromEntries(members))
    return {
      value,
      putFiles: () => {
        for (const { path, file } of files) put(value, path, file)
      },
    }
  }
}

/** Puts a file into the value of a form. A property that is not declared is gone. */
function put(value: object, [key = '', ...rest]: readonly string[], file: File): void {
  if (!Object.hasOwn(value, key)) return
  if (rest.length === 0) Object.defineProperty(value, key, { ...ownProperty, value: file })
  else {
    const next: unknown = Reflect.get(value, key)
    // It was an object or a list when the file was read.
    if (typeof next === 'object' && next !== null) put(next, rest, file)
  }
}

const ownProperty = { writable: true, enumerable: true, configurable: true }

function fieldShapeOf(schema: Subschema, schemas: NamedSchemas, place: string, encoding: Encoding = {}): FieldShape {
  const { style = 'form', explode = style === 'form', contentType } = encoding
  const jsonTypes = typesOf(schema, schemas)
  const isRepeatable = jsonTypes.has('array')
  const shape = shapeOf(schema, schemas)
  // A media type has no meaning beside a style (OpenAPI 3.1, section 4.8.15.1.2).
  const isStyled = encoding.style !== undefined || encoding.explode !== undefined
  const types: PartTypes | undefined =
    isStyled || contentType === undefined
      ? undefined
      : { written: contentType, indexOf: createMatcher(contentType.split(/,\s*/)) }
  if (isStyled && !explode && style !== 'deepObject' && (shape === 'list' || shape === 'object')) {
    const parts = { ...textPartsOf(schema, schemas), shape, isNamed: false, decode: decoded }
    const split: FieldShape['split'] = (field, reading) =>
      valueOfItems(splitRaw(rawOf(field), style), parts, place, reading)
    return { shape, isList: false, isRepeatable, split }
  }
  if (shape !== 'list') {
    return { shape: jsonTypes.isSupersetOf(anyType) ? 'any' : shape, isList: false, isRepeatable, types }
  }
  return { shape: itemShapeOf(schema, schemas), isList: true, isRepeatable, types }
}

/** The text of a field, percent-encoded but for what separates items. */
function rawOf(field: FormField): string {
  return field.raw ?? encodeURIComponent(textOf(field)).replaceAll('%2C', ',')
}

/** A part without a media type is text (RFC 7578, section 4.4). */
function isOfType(type: string | undefined, { indexOf }: PartTypes): boolean {
  const parsed = parseMediaType(type ?? 'text/plain')
  return parsed !== undefined && indexOf(parsed) !== -1
}

/** @throws Refusal if it is not in UTF-8 */
function textOf({ name, content, type }: FormField): string {
  if (typeof content === 'string') return content
  const charsets = [...(type ?? '').matchAll(/;[ \t]*charset[^=;]*="?([^";]*)/gi)]
  if (charsets.every(([, charset = '']) => /^utf-?8$/i.test(charset)) && isUtf8(content))
    return Buffer.from(content).toString()
  throw new Refusal('malformed_body', describeProblems([`body/${escapeName(name)} is not UTF-8`]))
}

function fileOf({ content, filename = '', type = '' }: FormField): File {
  return new File([content], filename, { type })
}
