import { isSchema } from 'fastify-contract/schema'
import type { Adopted } from './adopt.ts'
import type { AdoptedOperation } from './operations.ts'
import { resolvedIn } from '../keywords/follow.ts'
import { componentsIn } from '../keywords/objects.ts'
import { parametersIn } from './routes.ts'

type Members = Record<string, unknown>

/**
 * Gives an operation all of its parameters, those of its path item too, and one for each name in its path. Removes those
 * that OpenAPI ignores or that no request can have.
 */
export function mendParameters(operation: AdoptedOperation, contract: Adopted): void {
  const { item, object, path, method } = operation
  const { document, places, warn } = contract
  const [own, shared] = [listOf(object, 'parameters'), listOf(item, 'parameters')]
  // The structure is checked later.
  if (own === undefined || shared === undefined) return
  const keyOf = (written: unknown) => keyOfParameter(resolvedIn(document, written))
  const overridden = new Set(own.map(keyOf))
  const inPath = [...new Set(parametersIn(path))]
  const credentials = new Set(keysOf(object, document).map(keyOfParameter))
  const met = new Set<string | undefined>()
  const kept = [...own, ...shared.filter((each) => !overridden.has(keyOf(each)))].filter((written) => {
    const parameter = resolvedIn(document, written)
    const key = keyOfParameter(parameter)
    if (parameter === undefined || key === undefined) return true
    const problem = surplusProblem(parameter, inPath) ?? (credentials.has(key) ? isCredential : undefined)
    const reason = met.has(key) ? 'is declared twice, and the first counts; remove the other' : problem
    met.add(key)
    if (reason === undefined) return true
    const text = `the ${String(parameter['in'])} parameter ${String(parameter['name'])} ${reason}`
    warn({ object: parameter, key: 'name' }, text, `parameter ${reason}`)
    return false
  })
  for (const written of kept) completeParameter(resolvedIn(document, written), contract)
  const missing = inPath.filter((name) => !met.has(`path ${name}`))
  for (const name of missing) {
    const text = `${method.toUpperCase()} ${path}: the path parameter ${name} is not declared, and is read as a string; add it`
    warn({ object: item, key: method }, text, 'undeclared path parameter')
    kept.push(places.share({ name, in: 'path', required: true, schema: { type: 'string' } }, object))
  }
  if (kept.length > 0) object['parameters'] = places.share(kept, object['parameters'] ?? object)
  else Reflect.deleteProperty(object, 'parameters')
}

/** A list that may be absent; undefined if it is something else. */
function listOf(object: Members, name: string): unknown[] | undefined {
  const list = object[name] ?? []
  return Array.isArray(list) ? list : undefined
}

/** What makes a parameter another one: its place and its name. The names of headers ignore case. */
function keyOfParameter(parameter: Members | undefined): string | undefined {
  if (typeof parameter?.['name'] !== 'string') return undefined
  const { in: place, name } = parameter
  return `${String(place)} ${place === 'header' ? name.toLowerCase() : name}`
}

const isCredential = 'is an API key, which is read before the parameters; remove the parameter'

/** OpenAPI 3.1, section 4.8.12.2. */
function surplusProblem({ in: place, name }: Members, inPath: string[]): string | undefined {
  if (place === 'path') return inPath.includes(String(name)) ? undefined : 'is not in the path; remove it'
  const isIgnored = place === 'header' && /^(?:accept|content-type|authorization)$/i.test(String(name))
  return isIgnored ? 'is ignored by OpenAPI; use media types or security schemes' : undefined
}

/** The API keys that an operation takes. */
function keysOf({ security }: Members, document: Members): Members[] {
  const schemes = componentsIn(document, 'securitySchemes')
  const names = [security ?? document['security']].flat().flatMap((each) => (isSchema(each) ? Object.keys(each) : []))
  return names.flatMap((name) => {
    const scheme = Object.hasOwn(schemes, name) ? resolvedIn(document, schemes[name]) : undefined
    return scheme?.['type'] === 'apiKey' ? [scheme] : []
  })
}

function completeParameter(parameter: Members | undefined, { warn }: Adopted): void {
  if (parameter === undefined) return
  const at = { object: parameter, key: 'name' }
  const subject = `the ${String(parameter['in'])} parameter ${String(parameter['name'])}`
  if (parameter['in'] === 'path' && parameter['required'] !== true) {
    parameter['required'] = true
    warn(at, `${subject} is part of the path, and is required; add required: true`, 'path parameter required')
  }
  if (!('schema' in parameter) && !('content' in parameter)) {
    parameter['schema'] = { type: 'string' }
    warn(at, `${subject} has no schema, and is read as a string; add one`, 'parameter schema')
  }
}
