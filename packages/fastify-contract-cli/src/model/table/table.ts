import { requestContent, responseContent } from './content.ts'
import { components } from './components.ts'
import { document, info, server } from './document.ts'
import { encoding } from './encoding.ts'
import { example } from './examples.ts'
import { header } from './header.ts'
import { type Keyword, type Keywords, type Kind, shown } from '../rules/keyword.ts'
import { link } from './link.ts'
import { operation } from './operation.ts'
import { parameter } from './parameter.ts'
import { pathItem } from './path-item.ts'
import { requestBody } from './request-body.ts'
import { response } from './response.ts'
import { schema } from './schema.ts'
import { securityScheme } from './security-scheme.ts'
import type { Draft } from '../yaml/node.ts'

/** Every keyword of OpenAPI 3.1, by the kind of its object. */
export const keywords: Record<Kind, Keywords> = {
  document,
  info,
  server,
  components,
  pathItem,
  operation,
  parameter,
  requestBody,
  requestContent,
  responseContent,
  encoding,
  response,
  link,
  callback: { $ref: { is: 'text' }, ...shown('*', 'pathItem') },
  example,
  header,
  schema,
  discriminator: {
    propertyName: { isShown: true, isRequired: 'by OpenAPI' },
    ...shown('mapping defaultMapping'),
  },
  securityScheme,
}

/** The keyword of a name, or the one for any name; undefined for an unknown name. */
export function keywordOf(kind: Kind, name: string): Keyword | undefined {
  const kindKeywords = keywords[kind]
  return Object.hasOwn(kindKeywords, name) ? kindKeywords[name] : kindKeywords['*']
}

/** The OpenAPI objects within a member. */
export interface Held {
  kind: Kind
  /** The direct container of the objects: the parent, a list or a map. */
  holder: Draft
  names: string[]
}

/** The OpenAPI objects within a member: itself, or those in its list or map; undefined if it has none. */
export function heldBy(object: Draft, kind: Kind, name: string): Held | undefined {
  const holds = keywordOf(kind, name)?.holds
  if (holds === undefined) return undefined
  if (typeof holds === 'string') return { kind: holds, holder: object, names: [name] }
  const member = object[name]
  const isHolder = typeof member === 'object' && member !== null
  // For a list, the names are indices.
  const holder = isHolder ? (member as Draft) : {}
  return { kind: Array.isArray(holds) ? holds[0] : holds.each, holder, names: Object.keys(holder) }
}
