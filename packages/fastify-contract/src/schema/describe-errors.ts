import type { ErrorObject } from 'ajv'
import { escapeName } from '../json/pointer.ts'
import { maxErrors } from './alternatives-keywords.ts'

/** A place may contain names chosen by the client. */
const maxLength = 1_000

/** Describes errors by place and rule, without values: `body/name must NOT have more than 255 characters`. */
export function describeErrors(errors: ErrorObject[]): string {
  return describeProblems(errors.slice(0, maxErrors + 1).map(describeError))
}

/** Joins the texts of problems: few, none twice, and each of a bounded length. */
export function describeProblems(problems: readonly string[]): string {
  const texts = [...new Set(problems.slice(0, maxErrors).map(shortened))]
  return [...texts, ...(problems.length > maxErrors ? ['and more'] : [])].join('; ')
}

function describeError({ instancePath, keyword, message = 'is not valid', params, propertyName }: ErrorObject): string {
  const place = instancePath.replace(/^\//, '').replace(/^requestBody/, 'body')
  const at = (name: unknown) => `${place === '' ? '' : `${place}/`}${escapeName(String(name))}`
  switch (keyword) {
    case 'required': {
      const name = at(params['missingProperty'])
      return `${name === 'requestBody' ? 'body' : name} is required`
    }
    case 'additionalProperties':
      return `${at(params['additionalProperty'])} ${undeclaredIn(place)}`
    case 'false schema':
      return `${place} is not allowed here`
  }
  // Ajv reports an invalid property name at the place of its object.
  return propertyName === undefined ? `${place} ${message}`.trim() : `the name of ${at(propertyName)} ${message}`
}

/** Cuts the middle of a long text, so that the start of the place and the rule stay. */
function shortened(text: string): string {
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength / 2)}…${text.slice(-maxLength / 2)}`.toWellFormed()
}

function undeclaredIn(place: string): string {
  if (place === 'query') return 'is not a parameter of this operation'
  return place === 'header' ? 'is not a header of this response' : 'is not a property here'
}
