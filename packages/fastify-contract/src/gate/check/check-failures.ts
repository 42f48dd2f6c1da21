import type { ContractDocument, ContractOperation, ContractResponse } from '../../document/document.ts'
import { refusalStatuses } from '../../engine/refusal.ts'
import { declaredResponse } from '../../engine/reply-validation.ts'
import { stringifyJson } from '../../json/json.ts'
import { createValueChecks } from './check-examples.ts'
import { atOperation, supportedOperations } from './check-operations.ts'
import type { Finding } from './findings.ts'

/** An error number of the schema Error; members may be missing. */
export interface ErrorNumber {
  number: unknown
  name: unknown
  description: unknown
}

const place = 'components/schemas/Error/properties/error'

/** Lists the error numbers of a contract with their names and descriptions. */
export function errorNumbersOf(document: ContractDocument): ErrorNumber[] {
  const [numbers = [], names = [], descriptions = []] = ['enum', 'x-enum-varnames', 'x-enum-descriptions'].map(
    (key) => {
      const list = errorProperty(document)?.[key]
      return Array.isArray(list) ? (list as unknown[]) : []
    },
  )
  const length = numbers.length === 0 ? 0 : Math.max(numbers.length, names.length, descriptions.length)
  return Array.from({ length }, (_, index) => ({
    number: numbers[index],
    name: names[index],
    description: descriptions[index],
  }))
}

function errorProperty({ components }: ContractDocument): Record<string, unknown> | undefined {
  const properties = components?.schemas?.['Error']?.['properties']
  return (properties as Record<string, Record<string, unknown>> | undefined)?.['error']
}

/** The HTTP status in the first three digits of an error number. */
export function statusOf(number: unknown): number {
  return Math.floor(Number(number) / 100)
}

/** The server's own failures, each with a suggested number. */
const serverFailures = Object.entries(refusalStatuses).map(([name, status], index, all) => {
  const before = all.slice(0, index).filter((other) => other[1] === status)
  return { name, status, number: status * 100 + before.length }
})

/** Finds invalid error numbers, and missing ones of the server. */
export function checkErrorNumbers(document: ContractDocument): Finding[] {
  const numbers = errorNumbersOf(document)
  const error = errorProperty(document)
  const at = error === undefined ? { object: document, key: 'components' } : { object: error, key: 'enum' }
  const missing = serverFailures
    // Only operations with scopes need this one.
    .filter(({ name }) => name !== 'insufficient_scope')
    .filter(({ name, status }) => !numbers.some((each) => each.name === name && statusOf(each.number) === status))
    .map(({ name, number }) => `${String(number)} ${name}`)
    .join(', ')
  if (numbers.length === 0) {
    const text = `${place}: must be an enum; add ${missing} and your own`
    return [{ at, text: `${text}, with names in x-enum-varnames and descriptions in x-enum-descriptions` }]
  }
  const problems = numbers.flatMap((each, index) => problemsOf(each, numbers.slice(0, index)))
  if (missing !== '') problems.push(`the server's own failures are missing; add ${missing}`)
  return problems.length === 0 ? [] : [{ at, text: `${place}: ${problems.join('; ')}` }]
}

function problemsOf({ number, name, description }: ErrorNumber, before: ErrorNumber[]): string[] {
  if (number === undefined) return ['there are more names or descriptions than numbers; remove the surplus']
  const where = `the number ${stringifyJson(number)}`
  const hasStatus = typeof number === 'number' && number >= 40_000 && number < 60_000
  const hasName = typeof name === 'string' && /^[a-z][a-z0-9_]*$/.test(name)
  const isTwice = before.some((other) => other.number === number || (hasName && other.name === name))
  return [
    ...(hasStatus ? [] : [`${where} must start with an HTTP status of 400 to 599`]),
    ...(hasName ? [] : [`${where} needs a name in x-enum-varnames, in lower case with underscores`]),
    ...(typeof description === 'string' ? [] : [`${where} needs a description in x-enum-descriptions`]),
    ...(isTwice ? [`${where} or its name is a duplicate; remove one`] : []),
  ]
}

/** The headers of the server's failures by status, in lower case. */
const sentHeaders: Record<number | 'always', readonly string[]> = {
  always: ['x-request-id', 'cache-control', 'x-content-type-options'],
  401: ['www-authenticate'],
  403: ['www-authenticate'],
  429: ['retry-after'],
  503: ['retry-after'],
}

/**
 * Finds failures of the server that an operation does not declare (a warning), or declares in another form than
 * `{ "error": …, "message": … }` as application/json.
 */
export function checkFailures(document: ContractDocument): Finding[] {
  const checkOf = createValueChecks(document, 'response')
  const numbers = errorNumbersOf(document)
  /** The checked statuses of each response, which several operations may share. */
  const checked = new Map<object, Set<number>>()

  function bodyProblem(status: number, content: ContractResponse['content']): string | undefined {
    const media = content?.['application/json']
    if (media === undefined) return 'needs application/json content with components/schemas/Error'
    const check = checkOf(media.schema ?? true)
    for (const failure of serverFailures.filter((each) => each.status === status)) {
      const error = numbers.find(({ name }) => name === failure.name)?.number ?? failure.number
      const found = typeof check === 'string' ? undefined : check({ error, message: 'text' })
      if (found !== undefined)
        return `must allow the server's failure { error: ${stringifyJson(error)}, message }: ${found.problem}`
    }
    return undefined
  }

  function responseProblems(status: number, response: ContractResponse): string[] {
    const known = checked.get(response) ?? new Set()
    if (known.has(status)) return []
    checked.set(response, known.add(status))
    const { headers = {}, content } = response
    const sent = [...sentHeaders.always, ...(sentHeaders[status] ?? [])]
    const unsent = Object.keys(headers).filter(
      (name) => headers[name]?.required === true && !sent.includes(name.toLowerCase()),
    )
    const problems = unsent.map((name) => `must not require the header ${name}, which the server does not send`)
    return [bodyProblem(status, content) ?? [], problems].flat().map((text) => `the response ${String(status)} ${text}`)
  }

  return supportedOperations(document).flatMap((operation): Finding[] => {
    const statuses = statusesOf(operation)
    const { responses } = operation.object
    const declared = statuses.map((status) => [status, declaredResponse(responses, status)] as const)
    const problems = declared.flatMap(([status, response]) =>
      response === undefined ? [] : responseProblems(status, response),
    )
    if (problems.length > 0) return [atOperation(document, operation, problems.join('; '))]
    const undeclared = declared.flatMap(([status, response]) => (response === undefined ? [status] : []))
    const text = `the server may respond with ${undeclared.join(', ')}; declare each, or default`
    return undeclared.length === 0 ? [] : [{ ...atOperation(document, operation, text), isWarning: true }]
  })
}

/** The statuses of the server's own failures for an operation. */
function statusesOf({ security, object }: ContractOperation): number[] {
  const requirements = security.map((requirement) => Object.values(requirement))
  return [
    400,
    ...(requirements.some((schemes) => schemes.length > 0) ? [401] : []),
    ...(requirements.flat().some((scopes) => scopes.length > 0) ? [403] : []),
    408,
    ...(object.requestBody === undefined ? [] : [413, 415]),
    ...[429, 431, 500, 503],
  ]
}
