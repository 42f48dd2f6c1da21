import { isSchema } from 'fastify-contract/schema'
import { type Keyword, type Keywords, referenceIn, shown } from './keyword.ts'

/** The examples of a parameter, a header or content. */
export const examples: Record<'example' | 'examples', Keyword> = {
  example: {
    rejects: (_value, { examples }) => (isSchema(examples) ? besideProblem('examples') : undefined),
    ignores: referenceIn,
  },
  examples: {
    holds: { each: 'example' },
    ignores: (value) =>
      isSchema(value) && Object.values(value).every(isSchema)
        ? undefined
        : 'is not an object of examples, and is ignored; write one',
  },
}

export const example: Keywords = {
  value: { ignores: referenceIn },
  ...shown('$ref summary description serializedValue externalValue'),
  // Of OpenAPI 3.2: what `value` is in any other version.
  dataValue: {
    ignores: (_data, { value }) => (value === undefined ? undefined : besideProblem('value')),
  },
}

/** Why a keyword is not beside another. */
export function besideProblem(other: string): string {
  return `has no meaning beside ${other}; remove one of them`
}
