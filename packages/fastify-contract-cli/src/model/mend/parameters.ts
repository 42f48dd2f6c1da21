import { kindOf } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import { besideQuerystring, nameOfParameter } from '../table/parameter.ts'
import { type Draft, origin, originOf, withOrigin } from '../yaml/node.ts'
import { componentsIn } from './context.ts'
import type { Mending, ServedOperation } from './mending.ts'
import { parametersIn } from './routes.ts'
import type { ContractObject } from './visit.ts'

/**
 * Gives an operation one parameter for each name in its path. Removes those that OpenAPI ignores or that no request can
 * have.
 */
export function mendParameters({ object, path, route }: ServedOperation, mending: Mending): void {
  const { document, resolve, warn } = mending
  const declared = object['parameters'] ?? []
  // The structure is checked later.
  if (!Array.isArray(declared)) return
  const inPath = [...new Set(parametersIn(path))]
  const keys = keysOf(object, document, resolve)
  const credentials = new Set(keys.map(keyOfParameter))
  const visited = new Set<string | undefined>()
  const kept = declared.filter((written: unknown) => {
    const parameter = resolve(written)
    const key = keyOfParameter(parameter)
    if (parameter === undefined || key === undefined) return true
    const problem = surplusProblem(parameter, inPath) ?? (credentials.has(key) ? isCredential : undefined)
    const reason = visited.has(key) ? 'is declared twice, and the first counts; remove the other' : problem
    visited.add(key)
    if (reason === undefined) return true
    warn({ object: parameter, key: 'name' }, `${nameOfParameter(parameter)} ${reason}`, `parameter ${reason}`)
    return false
  })
  for (const name of inPath.filter((each) => !visited.has(`path ${each}`))) {
    const text = `${route}: the path parameter ${name} is not declared, and is read as a string; add it`
    warn({ object }, text, 'undeclared path parameter')
    kept.push({ [origin]: originOf(object), name, in: 'path', required: true, schema: { type: 'string' } })
  }
  refuseBesideQuerystring(kept.map(resolve), keys, mending)
  if (kept.length > 0) object['parameters'] = withOrigin(kept, declared.length > 0 ? declared : object)
  else Reflect.deleteProperty(object, 'parameters')
}

/** What makes a parameter another one: its place and its name. The names of headers ignore case. */
export function keyOfParameter(parameter: Draft | undefined): string | undefined {
  if (typeof parameter?.['name'] !== 'string') return undefined
  const { in: place, name } = parameter
  return `${String(place)} ${place === 'header' ? name.toLowerCase() : name}`
}

/** Only a querystring that is a form has room for an API key. */
function refuseBesideQuerystring(parameters: (Draft | undefined)[], keys: Draft[], { reject }: Mending): void {
  const whole = parameters.find((each) => each?.['in'] === 'querystring')
  if (whole === undefined) return
  const { content } = whole
  const isForm = isObject(content) && Object.keys(content).every((type) => kindOf(type) === 'form')
  const key = isForm ? undefined : keys.find((each) => each['in'] === 'query')
  const keyProblem =
    key === undefined
      ? undefined
      : `${nameOfParameter(whole)} has no room for the API key ${String(key['name'])}; use application/x-www-form-urlencoded`
  const text = besideQuerystring(parameters) ?? keyProblem
  if (text !== undefined) reject({ object: whole, key: 'in' }, text)
}

const isCredential = 'is an API key, which is read before the parameters; remove the parameter'

/** OpenAPI 3.1, section 4.8.12.2. */
function surplusProblem({ in: place, name }: Draft, inPath: string[]): string | undefined {
  if (place === 'path') return inPath.includes(String(name)) ? undefined : 'is not in the path; remove it'
  const isIgnored = place === 'header' && /^(?:accept|content-type|authorization)$/i.test(String(name))
  return isIgnored ? 'is ignored by OpenAPI; use media types or security schemes' : undefined
}

/** The API keys that an operation takes. */
function keysOf({ security }: Draft, document: Draft, resolve: Mending['resolve']): Draft[] {
  const schemes = componentsIn(document, 'securitySchemes')
  const names = [security ?? document['security']].flat().flatMap((each) => (isObject(each) ? Object.keys(each) : []))
  return names.flatMap((name) => {
    const scheme = Object.hasOwn(schemes, name) ? resolve(schemes[name]) : undefined
    return scheme?.['type'] === 'apiKey' ? [scheme] : []
  })
}

export function requireInPath({ object }: ContractObject, { warn }: Mending): void {
  if (object['in'] !== 'path' || object['required'] === true) return
  object['required'] = true
  const text = `${nameOfParameter(object)} is part of the path, and is required; add required: true`
  warn({ object, key: 'name' }, text, 'path parameter required')
}

export function addSchema({ object }: ContractObject, { warn }: Mending): void {
  if ('$ref' in object || 'schema' in object || 'content' in object || object['in'] === 'querystring') return
  object['schema'] = { type: 'string' }
  const text = `${nameOfParameter(object)} has no schema, and is read as a string; add one`
  warn({ object, key: 'name' }, text, 'parameter schema')
}

export function warnOfNone({ object, name }: ContractObject, { warn }: Mending): void {
  if (!['$ref', 'schema', 'content'].some((key) => key in object))
    warn({ object }, `the header ${name} has no schema, and is any text; add one`, 'header without schema')
}
