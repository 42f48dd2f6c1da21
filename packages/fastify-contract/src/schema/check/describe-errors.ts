import type { ErrorObject } from 'ajv'
import { escapeName } from '../../json/pointer.ts'
import { maxErrors } from './error-limit.ts'
import { type KeywordName, isKeyword } from '../read/schema.ts'

/** A place may contain names chosen by the client. */
const maxLength = 1_000

/** Describes errors by place and rule, without values: `body/name must have at most 255 characters`. */
export function describeErrors(errors: ErrorObject[]): string {
  return describeProblems(errors.values().map(describeError))
}

/** Joins the texts of problems: few, none twice, and each of a bounded length. */
export function describeProblems(problems: Iterable<string>): string {
  const texts = new Set<string>()
  for (const problem of problems) {
    if (texts.size === maxErrors && !texts.has(shortened(problem))) return [...texts, 'and more'].join('; ')
    texts.add(shortened(problem))
  }
  return [...texts].join('; ')
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
  const rule = (isKeyword(keyword) ? ruleOf[keyword]?.(params) : undefined) ?? message
  // Ajv reports an invalid property name at the place of its object.
  return propertyName === undefined ? `${place} ${rule}`.trim() : `the name of ${at(propertyName)} ${rule}`
}

type Params = ErrorObject['params']

const bound = (at: 'least' | 'most', unit: string, units: string) => {
  return ({ limit }: Params) => `must have at ${at} ${String(limit)} ${limit === 1 ? unit : units}`
}
const withArticle = (type: unknown) =>
  type === 'null' ? 'null' : `${/^[aeio]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`

/** The rules of Ajv's own keywords, in the words of the library's. */
const ruleOf: { readonly [Name in KeywordName]?: (params: Params) => string } = {
  type: ({ type }) => `must be ${[type].flat().map(withArticle).join(' or ')}`,
  format: ({ format }) => `must have the format ${String(format)}`,
  minLength: bound('least', 'character', 'characters'),
  maxLength: bound('most', 'character', 'characters'),
  items: bound('most', 'item', 'items'),
  minItems: bound('least', 'item', 'items'),
  maxItems: bound('most', 'item', 'items'),
  minProperties: bound('least', 'property', 'properties'),
  maxProperties: bound('most', 'property', 'properties'),
}

/** Cuts the middle of a long text, so that the start of the place and the rule stay. */
function shortened(text: string): string {
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength / 2)}…${text.slice(-maxLength / 2)}`.toWellFormed()
}

function undeclaredIn(place: string): string {
  if (place === 'query') return 'is not a parameter of this operation'
  return place === 'header' ? 'is not a header of this response' : 'is not declared'
}
