import type { BoundOperation } from '../engine/engine.ts'
import { Refusal, unavailable } from '../engine/refusal.ts'
import type { VerifiedScheme } from './authentication.ts'
import { invalidCredentials, lackingScopes, missingCredentials } from './challenges.ts'
import { type FailureForm, formed, replyOf } from './failure-form.ts'
import { constantHeaders } from './response-headers.ts'
import { named } from './start-warnings.ts'

interface FailureSources {
  schemes: ReadonlyMap<string, VerifiedScheme>
  realm: string
}

/**
 * Compares the failures that the server may send with the responses that their operations declare.
 *
 * @returns a warning that names the failures that do not fit, with the first such operation and the reason
 * @throws UnservableContract if the form makes a reply that cannot be sent, and any error of the form
 */
export function failureWarning(
  operations: readonly BoundOperation[],
  form: FailureForm,
  sources: FailureSources,
): string | undefined {
  /** By the problem: the failures that have it, and their operations. */
  const misfits = new Map<string, { failures: Set<string>; operations: Set<string> }>()
  for (const operation of operations) {
    for (const refusal of refusalsOf(operation, sources)) {
      const reply = replyOf(formed(refusal, form))
      const headers = { ...constantHeaders, ...refusal.headers }
      const problem = operation.failureProblem({ ...reply, headers })
      if (problem === undefined) continue
      const misfit = misfits.get(problem) ?? { failures: new Set(), operations: new Set() }
      misfit.failures.add(`${String(reply.status)} ${refusal.failure}`)
      misfit.operations.add(operation.id)
      misfits.set(problem, misfit)
    }
  }
  if (misfits.size === 0) return undefined
  const texts = [...misfits].map(([problem, { failures, operations: of }]) => {
    return `${named([...of])} can answer ${[...failures].join(', ')}: ${problem}`
  })
  const more = texts.length > maxProblems ? [`and ${String(texts.length - maxProblems)} more problems`] : []
  const shown = [...texts.slice(0, maxProblems), ...more].join('; ')
  return `${shown}; ${remedy}`
}

const remedy = 'declare them, or a `default` response, or change failureForm'

const maxProblems = 5

/** One refusal for each failure that the server may send for an operation. */
function refusalsOf(operation: BoundOperation, { schemes, realm }: FailureSources): Refusal[] {
  const { bodyTypes, security } = operation
  const alternatives = security
    .filter((required) => required.length > 0)
    .map((required) => required.map(({ scheme, scopes }) => ({ scheme: schemes.get(scheme)!, scopes })))
  const all = alternatives.flat().map(({ scheme }) => scheme)
  const scoped = alternatives.filter((alternative) => alternative.some(({ scopes }) => scopes.length > 0))
  const message = 'the reason of the failure'
  return [
    new Refusal('malformed_http', message),
    ...(all.length > 0 ? [missingCredentials(realm, alternatives), invalidCredentials(realm, all, all)] : []),
    ...scoped.map((alternative) => lackingScopes(realm, alternative)),
    ...(bodyTypes.length > 0
      ? (['unsupported_media_type', 'body_too_large', 'malformed_body'] as const).map(
          (name) => new Refusal(name, message),
        )
      : []),
    ...(['invalid_request', 'request_timeout', 'headers_too_large', 'internal'] as const).map(
      (name) => new Refusal(name, message),
    ),
    unavailable(message),
  ]
}
