import { type ContractOperation, declaredResponse, isJson } from 'fastify-contract/document'
import { alternativesOf } from 'fastify-contract/security'
import type { SchemaSource } from '../suite/draw/flat-schema.ts'
import { bodyCode, declaredForm } from './failure-form.ts'
import { propertyName, quoted } from './typescript.ts'

/**
 * Handlers to copy, of an operation that the contract has: one that answers 404, and one that reads what a verifier has
 * returned. None if no operation can answer 404.
 */
export function exampleHandlers(operations: readonly ContractOperation[], source: SchemaSource): string[] {
  const withNotFound = operations.filter(({ object }) => declaredResponse(object.responses, 404) !== undefined)
  const likely = (operation: ContractOperation) =>
    Number('404' in operation.object.responses) + Number(parameterOf(operation) !== undefined)
  const sorted = withNotFound.toSorted((a, b) => likely(b) - likely(a))
  const open = sorted.slice(0, 1).map((operation) => exampleOf(operation, source, undefined))
  const secured = sorted.flatMap((operation) => {
    const scheme = schemeOf(operation)
    return scheme === undefined ? [] : [exampleOf(operation, source, scheme)]
  })
  return [...open, ...secured.slice(0, 1)]
}

/** A parameter of the path whose name is one in TypeScript. */
function parameterOf({ parameters }: ContractOperation): string | undefined {
  return parameters.find(({ in: place, name }) => place === 'path' && /^[A-Za-z_]\w*$/.test(name))?.name
}

/** The first scheme that the operation asks for, and whether it may be absent because another one is enough. */
function schemeOf(operation: ContractOperation): { name: string; isOptional: boolean } | undefined {
  const alternatives = alternativesOf(operation)
  const name = alternatives.find((schemes) => schemes.length > 0)?.[0]?.scheme
  return name === undefined ? undefined : { name, isOptional: alternatives.length > 1 }
}

function exampleOf(operation: ContractOperation, source: SchemaSource, scheme: ReturnType<typeof schemeOf>): string {
  const parameter = parameterOf(operation)
  const what = parameter === undefined ? 'such thing' : `\${path.${parameter}}`
  const user = scheme && `auth${memberOf(scheme.name)}${scheme.isOptional ? '?' : ''}.user`
  const message = user === undefined ? `there is no ${what}` : `\${${user}} has no ${what}`
  const input = parameter === undefined ? '_input' : '{ path }'
  const parameters = scheme === undefined ? (parameter === undefined ? '' : input) : `${input}, { auth }`
  const body = bodyOf(operation, source, `\`${message}\``)
  const reply = `{ status: 404${body === undefined ? '' : `, body: ${body}`} }`
  return `${propertyName(operation.id)}: (${parameters}) => (${reply}),`
}

/** The body of the 404 as code; undefined if it has none. @param message an expression */
function bodyOf(operation: ContractOperation, source: SchemaSource, message: string): string | undefined {
  const response = declaredResponse(operation.object.responses, 404)
  if (!Object.keys(response?.content ?? {}).some(isJson)) return undefined
  const alone = { ...operation, object: { ...operation.object, responses: { 404: response! } } }
  const form = declaredForm([alone], source)
  if (form !== undefined) return bodyCode(form, source, { status: '404', message })
  // Without a form of its own it has that of RFC 9457.
  return `{ title: 'Not Found', status: 404, detail: ${message} }`
}

function memberOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${quoted(name)}]`
}
