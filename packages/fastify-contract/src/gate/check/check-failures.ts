import type { ContractDocument, OperationObject } from '../../document/document.ts'
import { declaredResponse } from '../../engine/reply-validation.ts'
import { createValueChecks } from './check-examples.ts'
import { writtenOperations } from './check-operations.ts'
import { serverFailures } from './error-numbers.ts'
import type { Finding } from './findings.ts'
import { resolve } from './resolve.ts'

/** The headers that the server sends with its failures, in lower case. */
const sentHeaders: Record<number, readonly string[]> = {
  401: ['www-authenticate'],
  403: ['www-authenticate'],
  429: ['retry-after'],
  503: ['retry-after'],
}
const alwaysSent = ['x-request-id', 'cache-control', 'x-content-type-options']

interface DeclaredResponse {
  headers?: Record<string, { required?: boolean }>
  content?: Record<string, { schema?: unknown }>
}

/**
 * Finds each failure of the server itself that an operation does not declare, which is a warning, or that it declares
 * in another form than `{ "error": …, "message": … }` as application/json.
 */
export function checkFailures(document: ContractDocument): Finding[] {
  const checkOf = createValueChecks(document, 'response')
  const failures = serverFailures(document)
  /** The statuses for which a response was checked; several operations may refer to one. */
  const checked = new Map<object, Set<number>>()

  function bodyProblem(status: number, content: DeclaredResponse['content']): string | undefined {
    const media = content?.['application/json']
    if (media === undefined)
      return 'needs the content application/json with components/schemas/Error, as the service describes failures'
    const check = checkOf(media.schema ?? true)
    for (const { number: error } of failures.filter((failure) => failure.status === status)) {
      const found = typeof check === 'string' ? undefined : check({ error, message: 'text' })
      if (found !== undefined)
        return `must allow the service's own failure { error: ${String(error)}, message }: ${found.problem}`
    }
    return undefined
  }

  /** Each where it is to be mended: several operations may refer to one response. */
  function problemsOf(status: number, response: DeclaredResponse): Finding[] {
    const known = checked.get(response) ?? new Set()
    if (known.has(status)) return []
    checked.set(response, known.add(status))
    const { headers = {}, content } = response
    const problem = bodyProblem(status, content)
    const sent = [...alwaysSent, ...(sentHeaders[status] ?? [])]
    const unsent = Object.keys(headers).filter(
      (name) => resolve(document, headers[name])?.required === true && !sent.includes(name.toLowerCase()),
    )
    return [
      ...(problem === undefined ? [] : [{ at: { object: response, key: 'content' }, text: problem }]),
      ...unsent.map((key) => ({
        at: { object: headers, key },
        text: `must not require the header ${key}, which the service does not send`,
      })),
    ]
  }

  return writtenOperations(document).flatMap(({ id, object }) => {
    const responses = object.responses ?? {}
    const declared = statusesOf(object, document).map(
      (status) => [status, declaredResponse(responses, status)] as const,
    )
    const undeclared = declared.flatMap(([status, response]) => (response === undefined ? [status] : []))
    const text = `operation ${id}: the service can answer ${undeclared.join(', ')}; declare each, or default`
    return [
      ...(undeclared.length === 0 ? [] : [{ at: { object, key: 'responses' }, text, isWarning: true }]),
      ...declared.flatMap(([status, response]) =>
        (response === undefined ? [] : problemsOf(status, resolve(document, response))).map((finding) => ({
          ...finding,
          text: `operation ${id}: the response ${String(status)} ${finding.text}`,
        })),
      ),
    ]
  })
}

/** The statuses of the failures that the server itself can answer to an operation. */
function statusesOf({ security, requestBody }: Partial<OperationObject>, document: ContractDocument): number[] {
  const requirements = (security ?? document.security ?? []).map((requirement) => Object.values(requirement))
  const ofSecurity = [
    ...(requirements.some((schemes) => schemes.length > 0) ? [401] : []),
    ...(requirements.flat().some((scopes) => scopes.length > 0) ? [403] : []),
  ]
  return [400, ...ofSecurity, 408, ...(requestBody === undefined ? [] : [413, 415]), 429, 431, 500, 503]
}
