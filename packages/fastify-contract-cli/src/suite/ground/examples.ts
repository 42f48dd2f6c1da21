import type { Exampled } from 'fastify-contract/document'

/** The examples of a parameter, a header or a media type by name; one that has none is `(unnamed)`. */
export function examplesOf({ example, examples = {} }: Exampled): Map<string, unknown> {
  // The others are of `serializedValue` or `externalValue`.
  const named = Object.entries(examples).flatMap(([name, each]): [string, unknown][] =>
    'value' in each ? [[name, each.value]] : [],
  )
  return new Map(example === undefined ? named : [...named, ['(unnamed)', example]])
}
