import type { ContractOperation } from '../document/document.ts'
import { type ContentKind, isRange, isText } from '../document/media-type.ts'
import type { NumberSources } from '../json/json.ts'
import { typesOf } from '../schema/read/meaning.ts'
import type { NamedSchemas, Subschema } from '../schema/read/schema.ts'
import { createFormReader } from './form-fields.ts'

/** The parsed body of a request. */
export interface RequestBody {
  /** A JSON value, the fields of a form, a text, or bytes. */
  value: unknown
  /** The declared media type that it has, by its place in `bodyTypes`; the first by default. */
  index?: number
  /** Its media type, without parameters; only needed where a range is declared. */
  contentType?: string
  /** `json` by default. */
  kind?: ContentKind
  /** Of JSON: the source text of its numbers. */
  sources?: NumberSources | undefined
  /** Of JSON that is one number: its source text. */
  source?: string | undefined
}

type FormReader = ReturnType<typeof createFormReader>

/** A media type of a request body. */
export interface DeclaredBody {
  type: string
  schema: Subschema
  /** Whether a text is validated. One that is declared as something else is not. */
  isOfText: boolean
  readForm: FormReader
}

export function bodiesOf({ object }: ContractOperation, schemas: NamedSchemas): DeclaredBody[] {
  return Object.entries(object.requestBody?.content ?? {}).map(([type, media]) => {
    const { schema = true } = media
    let read: FormReader | undefined
    return {
      type,
      schema,
      isOfText: (isText(type) || isRange(type)) && typesOf(schema, schemas).has('string'),
      // Most bodies are not forms.
      readForm: (...form) => (read ??= createFormReader(type, media, schemas))(...form),
    }
  })
}
