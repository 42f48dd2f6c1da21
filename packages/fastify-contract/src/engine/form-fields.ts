import { File, isUtf8 } from 'node:buffer'
import { escapeName } from '../json/pointer.ts'
import { describeProblems } from '../schema/describe-errors.ts'
import { type NamedSchemas, typesOf } from '../schema/schema-parts.ts'
import { Refusal } from './refusal.ts'
import { type Reading, type TextShape, itemShapeOf, propertiesOf, shapeOf } from './texts.ts'

/** A field of a form, as it was sent. */
export interface FormField {
  name: string
  content: string | Uint8Array
  /** Of a file; undefined without one. */
  filename: string | undefined
  /** The media type of the content; undefined without one. */
  type: string | undefined
}

/** A form as an object. */
export interface FormValue {
  /** For validation: in place of a file is a string with a character for each byte. */
  value: unknown
  /** Puts the files in the place of those strings. */
  putFiles: () => void
}

/** How a field is read. */
interface FieldShape {
  /** That of a value, or of an item of a list; `any` without a schema. */
  shape: TextShape | 'any'
  /** Whether a field that is there once is a list, too. */
  isList: boolean
  isRepeatable: boolean
}

/**
 * Makes the function that turns the fields of a form into the object that its schema describes: lists by repetition, an
 * object from JSON, `format: binary` as a `File`. Others are texts, which are coerced as those of parameters.
 */
export function createFormReader(schema: unknown, schemas: NamedSchemas) {
  const { declared, others } = propertiesOf(schema, schemas)
  const shapes = new Map([...declared].map(([name, one]) => [name, fieldShapeOf(one, schemas)]))
  const otherShape = fieldShapeOf(others ?? true, schemas)

  return (fields: readonly FormField[], reading: Reading): FormValue => {
    const members: [string, unknown][] = []
    const files: { list: unknown[] | undefined; key: string | number; file: File }[] = []
    for (const [name, group] of Map.groupBy(fields, (field) => field.name)) {
      const { shape, isList, isRepeatable } = shapes.get(name) ?? otherShape
      if (group.length > 1 && !isRepeatable) {
        reading.problems.push(`${placeOf(name)} is repeated, but is not a list; send it once`)
        continue
      }
      const list = isList || group.length > 1 ? reading.ofTexts<unknown[]>([]) : undefined
      const values = group.map((field, index) => {
        if (shape === 'object') return reading.json(field.content, placeOf(name))
        if (shape !== 'file' && (shape !== 'any' || field.filename === undefined)) return textOf(field)
        files.push({ list, key: list === undefined ? name : index, file: fileOf(field) })
        return Buffer.from(field.content).toString('latin1')
      })
      for (const value of values) list?.push(value)
      members.push([name, list ?? values[0]])
    }
    // Unlike an assignment, this gives the object a property `__proto__`.
    const value = reading.ofTexts<Record<string, unknown>>(Object.fromEntries(members))
    return {
      value,
      putFiles: () => {
        for (const { list, key, file } of files) {
          // A property that is not declared is gone.
          const container: object = list ?? value
          if (Object.hasOwn(container, key)) Object.defineProperty(container, key, { ...ownProperty, value: file })
        }
      },
    }
  }
}

const ownProperty = { writable: true, enumerable: true, configurable: true }

const anyType = typesOf(true, {})

function fieldShapeOf(schema: unknown, schemas: NamedSchemas): FieldShape {
  const types = typesOf(schema, schemas)
  const isRepeatable = types.has('array')
  const shape = shapeOf(schema, schemas)
  if (shape !== 'list') return { shape: types.isSupersetOf(anyType) ? 'any' : shape, isList: false, isRepeatable }
  return { shape: itemShapeOf(schema, schemas), isList: true, isRepeatable }
}

function placeOf(name: string): string {
  return `body/${escapeName(name)}`
}

/** @throws Refusal if it is not in UTF-8 */
function textOf({ name, content, type }: FormField): string {
  if (typeof content === 'string') return content
  const [, charset = 'utf-8'] = /;[ \t]*charset="?([^";]*)/i.exec(type ?? '') ?? []
  if (/^utf-?8$/i.test(charset) && isUtf8(content)) return Buffer.from(content).toString()
  throw new Refusal('malformed_body', describeProblems([`${placeOf(name)} is not UTF-8`]))
}

function fileOf({ content, filename = '', type = '' }: FormField): File {
  return new File([content], filename, { type })
}
