import { basePathsOf, contractMethods, dereference, operationsOf } from '../../document/document.ts'
import type { ContractDocument, ContractMethod, OperationObject, Parameter, PathItem } from '../../document/document.ts'
import { securityProblems, securitySchemesOf } from '../../document/security.ts'
import type { Finding } from './findings.ts'
import { checkOwnFailures } from './own-failures.ts'
import { resolve } from './references.ts'

/** An operation as it is written. */
export interface WrittenOperation {
  id: string
  method: ContractMethod
  path: string
  item: PathItem
  object: Omit<OperationObject, 'responses'> & Partial<Pick<OperationObject, 'responses'>>
}

/**
 * Finds what operations lack that the service could serve them: names, described parameters, declared responses.
 *
 * @param document a bundled contract of the right structure
 */
export function checkOperations(document: ContractDocument): Finding[] {
  const operations = writtenOperations(document)
  const { paths } = document
  if (operations.length === 0) return [{ at: { object: document, key: 'paths' }, text: 'paths: there is no operation' }]
  return [
    ...operations.flatMap((operation) => [
      ...nameProblems(operation, operations),
      ...pathProblems(operation, paths ?? {}),
      ...parameterProblems(operation, document),
      ...statusProblems(operation, document),
      ...linkProblems(operation, operations, document),
    ]),
    ...routeProblems(operations, document),
    ...checkOwnFailures(document, operations),
  ]
}

function writtenOperations(document: ContractDocument): WrittenOperation[] {
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => !path.startsWith('x-'))
  return paths.flatMap(([path, written]) => {
    const item = resolve(document, written)
    return contractMethods.flatMap((method) => {
      const object = item[method]
      return object === undefined ? [] : [{ id: object.operationId, method, path, item, object }]
    })
  })
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

function pathProblems({ id, path }: WrittenOperation, paths: object): Finding[] {
  const at = { object: paths, key: path }
  const problems = path
    .split('/')
    .filter((segment) => /[{}]/.test(segment) && !/^\{[^{}]+\}$/.test(segment))
    .map(() => `a segment of ${path} must be wholly literal or wholly one {parameter}`)
  if (!path.startsWith('/')) problems.push(`the path ${path} must begin with /`)
  if (/[?#%*\s]/.test(path)) problems.push(`the path ${path} must be without ?, #, %, * and spaces`)
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name)
  if (new Set(names).size < names.length) problems.push(`the path ${path} must name each of its parameters once`)
  return problems.map((text) => ({ at, text: `operation ${id}: ${text}` }))
}

function parameterProblems(operation: WrittenOperation, document: ContractDocument): Finding[] {
  const { id, path, item, object } = operation
  const lists = [object.parameters ?? [], item.parameters ?? []]
  const resolved = lists.map((list) => list.map((written) => ({ written, parameter: resolve(document, written) })))
  const named = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  const findings: Finding[] = []
  const describe = ({ in: place, name }: Parameter) => `the ${place} parameter ${name}`
  // Names of headers are the same in any case.
  const keyOf = (parameter: Parameter) =>
    parameter.in === 'header' ? describe(parameter).toLowerCase() : describe(parameter)
  for (const list of resolved) {
    const seen = new Set<string>()
    for (const { written, parameter } of list) {
      const at = { object: written }
      const name = describe(parameter)
      if (seen.has(keyOf(parameter))) findings.push({ at, text: `operation ${id}: ${name} is described twice` })
      seen.add(keyOf(parameter))
      if (parameter.schema === undefined && parameter.content === undefined)
        findings.push({ at: { object: parameter }, text: `operation ${id}: ${name} has no schema; give it one` })
      const [, ofPath = []] = resolved
      const other = ofPath.find((each) => each.parameter.in === 'header' && keyOf(each.parameter) === keyOf(parameter))
      if (other !== undefined && other.parameter.name !== parameter.name && list !== ofPath) {
        const text = `operation ${id}: ${name} is written ${other.parameter.name} at the path; write it the same way`
        findings.push({ at, text })
      }
      if (parameter.in !== 'path') continue
      if (parameter.required !== true) {
        const text = `operation ${id}: ${name} is part of the path; add required: true`
        findings.push({ at: { object: parameter }, text })
      }
      if (!named.includes(parameter.name)) findings.push({ at, text: `operation ${id}: ${name} is not in ${path}` })
    }
  }
  const described = resolved.flat().map(({ parameter }) => (parameter.in === 'path' ? parameter.name : undefined))
  const missing = named.filter((name) => !described.includes(name))
  const at = { object, key: 'operationId' }
  return [
    ...findings,
    ...missing.map((name) => ({ at, text: `operation ${id}: the path parameter ${name} is not described` })),
  ]
}

function statusProblems({ id, object }: WrittenOperation, document: ContractDocument): Finding[] {
  const responses = object.responses ?? {}
  if (Object.keys(responses).length === 0) {
    return [{ at: { object, key: 'operationId' }, text: `operation ${id}: declares no response` }]
  }
  return Object.entries(responses).flatMap(([status, response]) => {
    const at = { object: responses, key: status }
    if (/^(?:204|205|304)$/.test(status) && resolve(document, response).content !== undefined) {
      return [{ at, text: `operation ${id}: ${status} has no content in HTTP; remove content, or use another status` }]
    }
    if (status.startsWith('x-') || /^(?:[2-5](?:\d\d|XX)|default)$/.test(status)) return []
    const text = `operation ${id}: ${status} is no status of a response; use 200 to 599, 4XX and the like, or default`
    return [{ at, text }]
  })
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

function linkProblems(
  { id, object }: WrittenOperation,
  operations: WrittenOperation[],
  document: ContractDocument,
): Finding[] {
  const links = Object.values(object.responses ?? {}).flatMap((response) =>
    Object.values((resolve(document, response) as { links?: Record<string, unknown> }).links ?? {}),
  )
  return links.flatMap((written) => {
    const link = resolve(document, written) as { operationId?: string }
    if (link.operationId === undefined || operations.some((other) => other.id === link.operationId)) return []
    const at = { object: link, key: 'operationId' }
    return [{ at, text: `operation ${id}: links to ${link.operationId}, which is no operation` }]
  })
}

/** Two operations of one method whose paths differ in the names of parameters alone, below any server. */
function routeProblems(operations: WrittenOperation[], document: ContractDocument): Finding[] {
  const routes = new Map<string, string>()
  // Another url is reported where it stands.
  const isRead = (document.servers ?? []).every(({ url }) => URL.canParse(url, 'http://localhost/'))
  return (isRead ? basePathsOf(document) : ['']).flatMap((base) =>
    operations.flatMap(({ id, method, path, object }) => {
      const route = `${method} ${base}${path.replace(/\{[^{}]+\}/g, '{}')}`
      const other = routes.get(route)
      routes.set(route, id)
      if (other === undefined) return []
      return [{ at: { object, key: 'operationId' }, text: `operation ${id}: has the same route as ${other}` }]
    }),
  )
}
