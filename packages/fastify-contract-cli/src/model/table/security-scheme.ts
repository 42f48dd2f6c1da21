import { isObject, stringifyJson } from 'fastify-contract/json'
import type { Schema } from 'fastify-contract/schema'
import { isScope } from 'fastify-contract/security'
import { isFieldName, misnamedParameter } from '../rules/field-name.ts'
import { didYouMean } from '../rules/did-you-mean.ts'
import {
  type KeywordContext,
  type Keywords,
  type Rule,
  lacking,
  quoted,
  reject,
  shown,
  warn,
} from '../rules/keyword.ts'
import { membersOf } from '../yaml/node.ts'

export const securityScheme: Keywords = {
  $ref: { is: 'text' },
  // A scheme that is not supported is refused where an operation requires it.
  type: {
    is: 'text',
    isRequired: true,
    rule: (type, scheme) => reject(incompleteScheme(type, scheme)) ?? warn(undescribedScheme(type, scheme)),
  },
  name: { is: 'text', rule: (name, { in: place }) => reject(misnamedParameter(String(name), place)) },
  in: { is: 'text' },
  // It is sent in WWW-Authenticate: a token of RFC 9110, section 5.6.2.
  scheme: {
    rule: (value) =>
      isFieldName(String(value)) ? undefined : reject('is not the name of an authentication scheme; correct it'),
  },
  ...shown('description deprecated bearerFormat openIdConnectUrl oauth2MetadataUrl'),
  flows: { isShown: true, rule: (flows) => warn(incompleteFlow(flows)) },
}

/** The problem of a scheme that is served, but not described as OpenAPI asks for. */
function undescribedScheme(type: unknown, scheme: Schema): string | undefined {
  const name = type === 'openIdConnect' ? 'openIdConnectUrl' : type === 'oauth2' ? 'flows' : undefined
  return name === undefined || name in scheme ? undefined : `${String(type)} needs the member ${name}; add it`
}

/** The texts that each OAuth flow needs (OpenAPI 3.2, section 4.29). */
const textsOfFlows: Readonly<Record<string, readonly string[]>> = {
  implicit: ['authorizationUrl'],
  password: ['tokenUrl'],
  clientCredentials: ['tokenUrl'],
  authorizationCode: ['authorizationUrl', 'tokenUrl'],
  deviceAuthorization: ['deviceAuthorizationUrl', 'tokenUrl'],
}

function incompleteFlow(flows: unknown): string | undefined {
  for (const [name, flow] of Object.entries(membersOf(flows))) {
    if (name.startsWith('x-')) continue
    const texts = Object.hasOwn(textsOfFlows, name) ? textsOfFlows[name] : undefined
    if (texts === undefined) return `${name} is not a flow; ${didYouMean(name, Object.keys(textsOfFlows), 'remove it')}`
    const hasScopes = isObject(flow) && isObject(flow['scopes'])
    const problem = lacking(flow, ...texts) ?? (hasScopes ? undefined : 'scopes is missing; add it, such as {}')
    if (problem !== undefined) return `of ${name}, ${problem}`
  }
  return undefined
}

/** The members that a security scheme of a type needs (OpenAPI 3.1, section 4.8.27). */
const membersOfSchemes: Readonly<Record<string, readonly string[]>> = { http: ['scheme'], apiKey: ['name', 'in'] }

function incompleteScheme(type: unknown, scheme: Schema): string | undefined {
  const missing = membersOfSchemes[String(type)]?.find((name) => !(name in scheme))
  return missing === undefined ? undefined : `${String(type)} needs the member ${missing}; add it`
}

const schemes = 'use http, an apiKey in a header, in the query or in a cookie, oauth2 or openIdConnect'

/** Of the document, of a path item or of an operation. */
export const securityRule: Rule = (security, _object, { securitySchemes }) =>
  reject(securityProblem(security, securitySchemes))

function securityProblem(security: unknown, securitySchemes: KeywordContext['securitySchemes']): string | undefined {
  if (!Array.isArray(security)) return 'is not a list; write one such as - bearer: [], or [] for everybody'
  const requirements: unknown[] = security
  if (!requirements.every(isObject)) return 'has a member that is not an object; write one such as bearer: []'
  for (const [name, scopes] of requirements.flatMap(Object.entries<unknown>)) {
    const scheme = securitySchemes.get(name)
    if (scheme === undefined)
      return `${name || stringifyJson(name)} is not a security scheme; describe it in components/securitySchemes, or correct the name`
    if (!scheme.isSupported) return `${name} is of the type ${String(scheme.type)}, which is not supported; ${schemes}`
    if (!Array.isArray(scopes)) return `the scopes of ${name} are not a list; write one, such as []`
    const unquoted: unknown = scopes.find((each) => typeof each !== 'string')
    if (unquoted !== undefined) return `the scope ${stringifyJson(unquoted)} is not text; ${quoted(unquoted)}`
    const scope: unknown = scopes.find((each) => !isScope(String(each)))
    if (scope !== undefined)
      return `the scope ${stringifyJson(scope)} is not valid; use printable ASCII without space, " and \\`
  }
  return undefined
}
