import { basePathsOf, dereference, operationsOf } from '../../document/document.ts'
import type { ContractDocument, ContractOperation } from '../../document/document.ts'
import { securityProblems, securitySchemesOf } from '../../document/security.ts'
import type { Finding } from './findings.ts'

/** The paths that the library's server answers itself. */
const docsPaths = ['/docs', '/openapi.yaml', '/openapi.json']

/**
 * Finds what operations lack that the service could serve them: names, described parameters, declared responses, known
 * security schemes.
 *
 * @param document a bundled contract of the right structure, whose references lead to objects
 * @param reserved the paths that the service answers beside the contract
 */
export function checkOperations(document: ContractDocument, reserved: readonly string[]): Finding[] {
  const operations = operationsOf(dereference(document))
  if (operations.length === 0) {
    // A path may be in a file that cannot be read.
    return [
      { at: { object: document, key: 'paths' }, text: 'paths: there is no operation; add one', isConsequence: true },
    ]
  }
  const bases = readBasePaths(document)
  const own = [...docsPaths, ...reserved]
  return [
    ...operations.flatMap((operation, index) => {
      const others = operations.slice(0, index)
      const problems = [
        ...nameProblems(operation, others),
        ...pathProblems(operation, bases, own),
        ...parameterProblems(operation),
        ...responseProblems(operation),
      ]
      return problems.length === 0 ? [] : [atOperation(document, operation, problems.join('; '))]
    }),
    ...checkSecurity(document, operations),
  ]
}

/** A finding about an operation, at its name. */
export function atOperation({ paths }: ContractDocument, operation: ContractOperation, text: string): Finding {
  const { id, method, path } = operation
  const item = paths?.[path]
  const object = item?.[method]
  const name = !id ? `${method.toUpperCase()} ${path}` : `operation ${id}`
  const at =
    object !== undefined && 'operationId' in object ? { object, key: 'operationId' } : { object: item!, key: method }
  return { at, text: `${name}: ${text}` }
}

/** A url that cannot be read is reported where it stands. */
function readBasePaths(document: ContractDocument): string[] {
  const isRead = (document.servers ?? []).every(({ url }) => URL.canParse(url, 'http://localhost/'))
  return isRead ? basePathsOf(document) : ['']
}

/** @param others the operations before this one */
function nameProblems({ id, method, path }: ContractOperation, others: ContractOperation[]): string[] {
  const routeOf = (written: string) => written.replace(/\{[^{}]+\}/g, '{}')
  const same = others.find((other) => other.method === method && routeOf(other.path) === routeOf(path))
  // A contract need not give a name.
  if (typeof (id as unknown) !== 'string' || id === '') return ['has no operationId; give it one']
  return [
    ...(others.some((other) => other.id === id) ? ['the operationId is used more than once; choose another'] : []),
    ...(same === undefined ? [] : [`has the same route as ${same.id}; choose another path`]),
  ]
}

function pathProblems({ path }: ContractOperation, bases: string[], own: string[]): string[] {
  const names = parametersIn(path)
  const isOwn = bases.some((base) => own.some((each) => `${base}${path}/`.startsWith(`${each}/`)))
  return [
    ...(isOwn ? [`${path} is a path of the service itself; choose another`] : []),
    ...(path.startsWith('/') ? [] : [`the path ${path} must begin with /`]),
    ...(/[?#%*\s]/.test(path) ? [`the path ${path} must be without ?, #, %, * and spaces`] : []),
    ...(new Set(names).size < names.length ? [`the path ${path} must name each of its parameters once`] : []),
    ...path
      .split('/')
      .filter((segment) => /[{}]/.test(segment) && !/^\{[^{}]+\}$/.test(segment))
      .map(() => `a segment of ${path} must be wholly literal or wholly one {parameter}`),
  ]
}

/** The names of the parameters of a path template. */
function parametersIn(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
}

function parameterProblems({ path, parameters }: ContractOperation): string[] {
  const inPath = parametersIn(path)
  // Names of headers are the same in any case.
  const keys = parameters.map(({ in: place, name }) => `${place} ${place === 'header' ? name.toLowerCase() : name}`)
  const found = parameters.flatMap(({ in: place, name, required, schema, content }, index) => [
    ...(keys.indexOf(keys[index]!) < index ? [`the ${place} parameter ${name} is described twice; remove one`] : []),
    ...(schema === undefined && content === undefined
      ? [`the ${place} parameter ${name} has no schema; give it one`]
      : []),
    ...(place === 'path' && required !== true ? [`${name} is part of the path; add required: true`] : []),
    ...(place === 'path' && !inPath.includes(name) ? [`the path parameter ${name} is not in ${path}; remove it`] : []),
  ])
  const missing = inPath.filter((name) => !keys.includes(`path ${name}`))
  return [...found, ...missing.map((name) => `the path parameter ${name} is not described; add it`)]
}

function responseProblems({ object }: ContractOperation): string[] {
  const responses = Object.entries(object.responses).filter(([status]) => !status.startsWith('x-'))
  if (responses.length === 0) return ['declares no response; add one']
  return responses.flatMap(([status, { content }]) => {
    if (!/^(?:[2-5](?:\d\d|XX)|default)$/.test(status))
      return [`${status} is no status of a response; use 200 to 599, 4XX and the like, or default`]
    const isEmpty = /^(?:204|205|304)$/.test(status)
    return isEmpty && content !== undefined
      ? [`${status} has no content in HTTP; remove it, or use another status`]
      : []
  })
}

/** Finds what the engine would refuse at the start, but for the configuration of the operator. */
function checkSecurity(document: ContractDocument, operations: ContractOperation[]): Finding[] {
  const contract = dereference(document)
  const schemes = document.components?.securitySchemes ?? {}
  return securityProblems(contract, operations, [...securitySchemesOf(contract).keys()]).map((text) => {
    const scheme = /^components\/securitySchemes\/([^:]+):/.exec(text)?.[1] ?? ''
    const operation = operations.find(({ id }) => text.startsWith(`operation ${id}:`))
    if (Object.hasOwn(schemes, scheme)) return { at: { object: schemes, key: scheme }, text }
    const object = operation === undefined ? undefined : document.paths?.[operation.path]?.[operation.method]
    return { at: { object: object ?? document, key: 'security' }, text }
  })
}
