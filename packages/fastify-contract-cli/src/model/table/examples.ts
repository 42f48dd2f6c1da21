import { isObject } from 'fastify-contract/json'
import { type Keyword, type Keywords, ignore, referenceIn, reject, shown } from '../rules/keyword.ts'

/** The examples of a parameter, a header or content. */
export const examples: Record<'example' | 'examples', Keyword> = {
  example: {
    rule: (value, { examples }) =>
      ignore(referenceIn(value)) ?? (isObject(examples) ? reject(besideProblem('examples')) : undefined),
  },
  examples: {
    holds: { each: 'example' },
    rule: (value) =>
      isObject(value) && Object.values(value).every(isObject)
        ? undefined
        : ignore('is not an object of examples, and is ignored; write one'),
  },
}

export const example: Keywords = {
  value: { rule: (value) => ignore(referenceIn(value)) },
  ...shown('$ref summary description serializedValue externalValue'),
  // Of OpenAPI 3.2: what `value` is in any other version.
  dataValue: {
    rule: (_data, { value }) => (value === undefined ? undefined : ignore(besideProblem('value'))),
  },
}

/** Why a keyword is not beside another. */
export function besideProblem(other: string): string {
  return `has no meaning beside ${other}; remove one of them`
}
