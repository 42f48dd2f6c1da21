import { basePathsOf, contractMethods, dereference, operationsOf } from '../../document/document.ts'
import type { ContractDocument, ContractMethod, OperationObject, Parameter, PathItem } from '../../document/document.ts'
import { securityProblems, securitySchemesOf } from '../../document/security.ts'
import type { Finding } from './findings.ts'
import { resolve } from './resolve.ts'

/** An operation as it is written. */
export interface WrittenOperation {
  id: string
  method: ContractMethod
  path: string
  item: PathItem
  object: Omit<OperationObject, 'responses'> & Partial<Pick<OperationObject, 'responses'>>
}

/** Lists the operations of a contract with the objects that are written. */
export function writtenOperations({ paths = {} }: ContractDocument): WrittenOperation[] {
  return membersOf(paths).flatMap(([path, item]) =>
    contractMethods.flatMap((method) => {
      const object = item[method]
      return object === undefined ? [] : [{ id: object.operationId, method, path, item, object }]
    }),
  )
}

/** The members of an object but for extensions, which are refused elsewhere. */
function membersOf<Member>(object: Record<string, Member>): [string, Member][] {
  return Object.entries(object).filter(([name]) => !name.startsWith('x-'))
}

/** The paths that the library's server answers itself. */
const docsPaths = ['/docs', '/openapi.yaml', '/openapi.json']

/**
 * Finds what operations lack that the service could serve them: names, described parameters, declared responses.
 *
 * @param document a bundled contract of the right structure
 * @param reserved the paths that the service answers beside the contract
 */
export function checkOperations(document: ContractDocument, reserved: readonly string[]): Finding[] {
  const operations = writtenOperations(document)
  if (operations.length === 0) {
    // A path may be in a file that cannot be read.
    return [{ at: { object: document, key: 'paths' }, text: 'paths: there is no operation', isConsequence: true }]
  }
  return [
    ...operations.flatMap((operation) => [
      ...nameProblems(operation, operations),
      ...[...pathProblems(operation), ...parameterProblems(operation, document)].map(({ at, text }) => ({
        at: at ?? { object: document.paths ?? {}, key: operation.path },
        text: `operation ${operation.id}: ${text}`,
      })),
      ...responseProblems(operation, operations, document),
    ]),
    ...routeProblems(operations, document, [...docsPaths, ...reserved]),
  ]
}

function nameProblems({ id, method, path, item, object }: WrittenOperation, operations: WrittenOperation[]): Finding[] {
  if (typeof (id as unknown) !== 'string' || id === '') {
    return [
      { at: { object: item, key: method }, text: `${method.toUpperCase()} ${path}: has no operationId; give it one` },
    ]
  }
  const first = operations.find((other) => other.id === id)
  return first?.method === method && first.path === path
    ? []
    : [{ at: { object, key: 'operationId' }, text: `operationId ${id}: is used more than once; choose another` }]
}

function pathProblems({ path }: WrittenOperation): Finding[] {
  const problems = path
    .split('/')
    .filter((segment) => /[{}]/.test(segment) && !/^\{[^{}]+\}$/.test(segment))
    .map(() => `a segment of ${path} must be wholly literal or wholly one {parameter}`)
  if (!path.startsWith('/')) problems.push(`the path ${path} must begin with /`)
  if (/[?#%*\s]/.test(path)) problems.push(`the path ${path} must be without ?, #, %, * and spaces`)
  const names = parametersIn(path)
  if (new Set(names).size < names.length) problems.push(`the path ${path} must name each of its parameters once`)
  return problems.map((text) => ({ text }))
}

/** The names of the parameters of a path template. */
function parametersIn(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
}

function parameterProblems({ path, item, object }: WrittenOperation, document: ContractDocument): Finding[] {
  const findings: Finding[] = []
  const ofPath = (item.parameters ?? []).map((written) => resolve(document, written))
  for (const list of [object.parameters ?? [], item.parameters ?? []]) {
    const seen = new Set<string>()
    for (const written of list) {
      const parameter = resolve(document, written)
      const [at, name, key] = [{ object: written }, describe(parameter), keyOf(parameter)]
      if (seen.has(key)) findings.push({ at, text: `${name} is described twice` })
      seen.add(key)
      if (parameter.schema === undefined && parameter.content === undefined) {
        findings.push({ at: { object: parameter }, text: `${name} has no schema; give it one` })
      }
      const other = ofPath.find((each) => keyOf(each) === key && each.name !== parameter.name)
      if (other !== undefined && list === object.parameters) {
        findings.push({ at, text: `${name} is written ${other.name} at the path; write it the same way` })
      }
      if (parameter.in !== 'path') continue
      if (parameter.required !== true) {
        findings.push({ at: { object: parameter }, text: `${name} is part of the path; add required: true` })
      }
      if (!parametersIn(path).includes(parameter.name)) findings.push({ at, text: `${name} is not in ${path}` })
    }
  }
  const described = [...(object.parameters ?? []).map((written) => resolve(document, written)), ...ofPath]
  const missing = parametersIn(path).filter(
    (name) => !described.some((each) => each.in === 'path' && each.name === name),
  )
  const at = { object, key: 'operationId' }
  return [...findings, ...missing.map((name) => ({ at, text: `the path parameter ${name} is not described` }))]
}

function describe({ in: place, name }: Parameter): string {
  return `the ${place} parameter ${name}`
}

/** Names of headers are the same in any case. */
function keyOf(parameter: Parameter): string {
  return parameter.in === 'header' ? describe(parameter).toLowerCase() : describe(parameter)
}

function responseProblems(
  { id, object }: WrittenOperation,
  operations: WrittenOperation[],
  document: ContractDocument,
): Finding[] {
  const responses = object.responses ?? {}
  if (Object.keys(responses).length === 0) {
    return [{ at: { object, key: 'operationId' }, text: `operation ${id}: declares no response` }]
  }
  return membersOf(responses).flatMap(([status, written]) => {
    const response = resolve<typeof written & { links?: Record<string, { operationId?: string }> }>(document, written)
    const links = Object.values(response.links ?? {}).map((link) => resolve(document, link))
    const strayLinks = links.flatMap((link): Finding[] => {
      const { operationId } = link
      if (operationId === undefined || operations.some((other) => other.id === operationId)) return []
      const at = { object: link, key: 'operationId' }
      return [{ at, text: `operation ${id}: links to ${operationId}, which is no operation` }]
    })
    const problem = statusProblem(status, response.content !== undefined)
    return [
      ...(problem === undefined
        ? []
        : [{ at: { object: responses, key: status }, text: `operation ${id}: ${problem}` }]),
      ...strayLinks,
    ]
  })
}

function statusProblem(status: string, hasContent: boolean): string | undefined {
  if (/^(?:204|205|304)$/.test(status) && hasContent) {
    return `${status} has no content in HTTP; remove content, or use another status`
  }
  return /^(?:[2-5](?:\d\d|XX)|default)$/.test(status)
    ? undefined
    : `${status} is no status of a response; use 200 to 599, 4XX and the like, or default`
}

/** Below any server: a path that is reserved, and operations whose paths differ in the names of parameters alone. */
function routeProblems(operations: WrittenOperation[], document: ContractDocument, reserved: string[]): Finding[] {
  const routes = new Map<string, string>()
  // Another url is reported where it stands.
  const isRead = (document.servers ?? []).every(({ url }) => URL.canParse(url, 'http://localhost/'))
  const bases = isRead ? basePathsOf(document) : ['']
  const taken = operations
    .flatMap(({ path }) => bases.map((base) => base + path))
    .find((path) => reserved.some((own) => path === own || path.startsWith(`${own}/`)))
  const text = `paths: ${String(taken)} is a path of the service itself; choose another`
  const twice = bases.flatMap((base) =>
    operations.flatMap(({ id, method, path, object }) => {
      const route = `${method} ${base}${path.replace(/\{[^{}]+\}/g, '{}')}`
      const other = routes.get(route)
      routes.set(route, id)
      if (other === undefined) return []
      return [{ at: { object, key: 'operationId' }, text: `operation ${id}: has the same route as ${other}` }]
    }),
  )
  return taken === undefined ? twice : [{ at: { object: document, key: 'paths' }, text }, ...twice]
}

/** Finds what the engine would refuse at the start, but for the configuration of the operator. */
export function checkSecurity(document: ContractDocument): Finding[] {
  const operations = writtenOperations(document)
  const contract = dereference(document)
  const schemes = document.components?.securitySchemes ?? {}
  return securityProblems(contract, operationsOf(contract), [...securitySchemesOf(contract).keys()]).map((text) => {
    const scheme = /^components\/securitySchemes\/([^:]+):/.exec(text)?.[1]
    if (scheme !== undefined && Object.hasOwn(schemes, scheme)) return { at: { object: schemes, key: scheme }, text }
    const object = operations.find(({ id, object: { security } }) =>
      scheme === undefined ? text.startsWith(`operation ${id}:`) : security?.some((each) => scheme in each),
    )?.object
    return { at: { object: object ?? document, key: 'security' }, text }
  })
}
