import type { ValidateFunction } from 'ajv'
import { stringifyJson } from '../../json/json.ts'
import { createAjv } from '../../schema/ajv.ts'
import { describeErrors } from '../../schema/describe-errors.ts'
import { SchemaRewriter } from '../../schema/rewrite-schema.ts'
import { validateValue } from '../../schema/validation.ts'
import { declaredResponse } from '../../engine/reply-validation.ts'
import type { ContractDocument } from '../../document/document.ts'
import { insufficientScope } from '../../document/security.ts'
import type { WrittenOperation } from './check-operations.ts'
import { ownNumbers } from './error-numbers.ts'
import type { Finding } from './findings.ts'
import { resolve } from './references.ts'

/** The numbers of the failures that the service answers by itself; the first three digits are the status. */
const failures = [...Object.keys(ownNumbers).map(Number), insufficientScope.error]

/** The headers that the service sends with its failures, in lower case. */
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
 * Finds each failure of the service itself that an operation does not declare, which is a warning, or that it declares
 * in another form than `{ "error": …, "message": … }` as application/json.
 */
export function checkOwnFailures(document: ContractDocument, operations: WrittenOperation[]): Finding[] {
  const rewriter = new SchemaRewriter(document.components?.schemas ?? {}, 'response')
  const ajv = createAjv('json', rewriter)
  /** By the text of the schema: most failures are described alike, and to compile takes long. */
  const validators = new Map<string, ValidateFunction>()
  /** The statuses for which a response was checked; several operations may refer to one. */
  const checked = new Map<object, Set<number>>()

  /** Each where it is to be mended: several operations may refer to one response. */
  function problemsOf(status: number, written: unknown): { at: Finding['at']; problem: string }[] {
    if (written === undefined) return []
    const response = resolve(document, written) as DeclaredResponse
    const known = checked.get(response)
    if (known?.has(status) === true) return []
    checked.set(response, (known ?? new Set()).add(status))
    const { headers = {} } = response
    return [
      ...bodyProblems(status, response.content).map((problem) => ({
        at: { object: response, key: 'content' },
        problem,
      })),
      ...unsentHeaders(status, headers).map((name) => ({
        at: { object: headers, key: name },
        problem: `must not require the header ${name}, which the service does not send`,
      })),
    ]
  }

  function validatorOf(schema: unknown): ValidateFunction {
    const text = stringifyJson(schema)
    const validator =
      validators.get(text) ?? ajv.compile({ type: 'object', properties: { body: rewriter.ofValue(schema) } })
    validators.set(text, validator)
    return validator
  }

  function bodyProblems(status: number, content: Record<string, { schema?: unknown }> | undefined): string[] {
    const media = content?.['application/json']
    if (media === undefined)
      return ['needs the content application/json with components/schemas/Error, as the service describes failures']
    const validate = validatorOf(media.schema ?? true)
    const ofStatus = failures.filter((error) => Math.floor(error / 100) === status)
    return ofStatus.flatMap((error) => {
      const [first] = validateValue([validate], { body: { error, message: 'text' } }, 'response')
      if (first === undefined) return []
      const reason = describeErrors([{ ...first, instancePath: first.instancePath.replace(/^\/body/, '') }])
      return [`must allow the service's own failure { error: ${String(error)}, message }: ${reason}`]
    })
  }

  function unsentHeaders(status: number, headers: Record<string, { required?: boolean }>): string[] {
    const sent = [...alwaysSent, ...(sentHeaders[status] ?? [])]
    return Object.entries(headers)
      .filter(([name, header]) => resolve(document, header).required === true && !sent.includes(name.toLowerCase()))
      .map(([name]) => name)
  }

  return operations.flatMap(({ id, object }) => {
    const responses = object.responses ?? {}
    const statuses = statusesOf(object, document)
    const undeclared = statuses.filter((status) => declaredResponse(responses, status) === undefined)
    const text = `operation ${id}: the service can answer ${undeclared.join(', ')}; declare each, or default`
    const at = { object, key: 'responses' }
    return [
      ...(undeclared.length === 0 ? [] : [{ at, text, isWarning: true }]),
      ...statuses.flatMap((status) => {
        const response = declaredResponse(responses, status)
        return problemsOf(status, response).map(({ at: place, problem }) => ({
          at: place,
          text: `operation ${id}: the response ${String(status)} ${problem}`,
        }))
      }),
    ]
  })
}

/** The statuses of the failures that the service itself can answer to an operation. */
function statusesOf({ security, requestBody }: WrittenOperation['object'], document: ContractDocument): number[] {
  const requirements = security ?? document.security ?? []
  const isSecured = requirements.some((requirement) => Object.keys(requirement).length > 0)
  const hasScopes = requirements.some((requirement) => Object.values(requirement).some((scopes) => scopes.length > 0))
  const ofSecurity = [...(isSecured ? [401] : []), ...(hasScopes ? [403] : [])]
  const ofBody = requestBody === undefined ? [] : [413, 415]
  return [400, ...ofSecurity, 408, ...ofBody, 429, 431, 500, 503]
}
