import { nearestOf } from './did-you-mean.ts'

/** The words that say who has access, each with where it belongs. */
const remedies: Readonly<Record<string, string>> = {
  security: 'write security in the document, in a path item or in an operation',
  securitySchemes: 'write securitySchemes in components',
  // Of Swagger 2.0.
  securityDefinitions: 'describe the schemes in components/securitySchemes',
}

/**
 * Why an unknown member cannot be ignored: without what it seems to say, operations would be public.
 *
 * @param fields the members that the object can have
 * @returns the problem and the remedy; undefined if the member is not about access
 */
export function accessProblem(name: string, fields: readonly string[]): string | undefined {
  const word = nearestOf(name, [...fields, ...Object.keys(remedies)])
  const remedy = word !== undefined && Object.hasOwn(remedies, word) ? remedies[word] : undefined
  if (word === undefined || remedy === undefined) return undefined
  return `is about access, so it is not ignored; ${fields.includes(word) ? `did you mean ${word}?` : remedy}`
}

/** The warning for an extension that looks as if it said who has access. */
export function accessExtension(name: string): string | undefined {
  return name.toLowerCase() === 'x-security' ? 'is an extension, which limits no access; use security' : undefined
}
