import { type ContractDocument, type ContractOperation, basePathsOf } from 'fastify-contract/document'
import { securityProblems } from 'fastify-contract/security'
import { parametersIn } from '../adopt/routes.ts'
import type { Finding } from './findings.ts'

/** The library's own paths. */
const docsPaths = ['/docs', '/openapi.yaml', '/openapi.json']

/** A contract with a checked structure and checked references. */
export interface ResolvedContract {
  /** As it is written, for the places of findings. */
  written: ContractDocument
  /** With its references resolved. */
  resolved: ContractDocument
  operations: ContractOperation[]
}

/** Finds operations that cannot be served, by their name, path, parameters, responses or security. */
export function checkOperations(contract: ResolvedContract): Finding[] {
  const { written, operations } = contract
  if (operations.length === 0) {
    // The paths may be in an unreadable file.
    return [
      {
        at: { object: written, key: 'paths' },
        text: 'paths: the contract has no operation; add one',
        isConsequence: true,
      },
    ]
  }
  const bases = readBasePaths(written)
  return [
    ...operations.flatMap((operation) => {
      const problems = [...pathProblems(operation, bases), ...responseProblems(operation)]
      return problems.length === 0 ? [] : [atOperation(written, operation, problems.join('; '))]
    }),
    ...checkSecurity(contract),
  ]
}

/** A finding about an operation, located at its name. */
export function atOperation({ paths }: ContractDocument, operation: ContractOperation, text: string): Finding {
  const { id, method, path } = operation
  const item = paths?.[path]
  const object = item?.[method]
  const name = !id ? `${method.toUpperCase()} ${path}` : `operation ${id}`
  const at =
    object !== undefined && 'operationId' in object ? { object, key: 'operationId' } : { object: item!, key: method }
  return { at, text: `${name}: ${text}` }
}

/** The base paths; an invalid url is reported elsewhere. */
function readBasePaths(document: ContractDocument): string[] {
  const isRead = (document.servers ?? []).every(({ url }) => URL.canParse(url, 'http://localhost/'))
  return isRead ? basePathsOf(document) : ['']
}

function pathProblems({ path }: ContractOperation, bases: string[]): string[] {
  const names = parametersIn(path)
  const isOwn = bases.some((base) => docsPaths.some((each) => `${base}${path}/`.startsWith(`${each}/`)))
  return [
    ...(isOwn ? [`${path} is the service's own path; choose another`] : []),
    ...(path.startsWith('/') ? [] : [`the path ${path} must begin with /`]),
    ...(/[?#%*\s]/.test(path) ? [`the path ${path} must not contain ?, #, %, * or spaces`] : []),
    ...(new Set(names).size < names.length ? [`the path ${path} must not repeat a parameter`] : []),
    ...path
      .split('/')
      .filter((segment) => !/^(?:[^{}]|\{[^{}]+\}(?!\{))*$/.test(segment))
      .map(() => `a segment of ${path} must be text and {parameters}, with text between two`),
  ]
}

function responseProblems({ object }: ContractOperation): string[] {
  return Object.keys(object.responses)
    .filter((status) => !/^(?:[2-5](?:\d\d|XX)|default)$/.test(status))
    .map((status) => `${status} is not a status; use 200 to 599, a range such as 4XX, or default`)
}

/** Finds the security problems of the start, except those of the configuration and those of a keyword. */
function checkSecurity({ written, resolved, operations }: ResolvedContract): Finding[] {
  const schemes = written.components?.securitySchemes ?? {}
  return securityProblems(resolved, operations).flatMap(({ scheme, operation, text }): Finding[] => {
    // The keyword `security` rejects the name of no scheme.
    if (scheme !== undefined)
      return Object.hasOwn(schemes, scheme) ? [{ at: { object: schemes, key: scheme }, text }] : []
    const object = operation === undefined ? undefined : written.paths?.[operation.path]?.[operation.method]
    return [{ at: { object: object ?? written, key: 'security' }, text }]
  })
}
