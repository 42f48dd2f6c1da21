import type { ErrorObject } from 'ajv'
import type { OpenAPIValidator, ValidationResult } from 'openapi-backend'
import type { ContractOperation } from './document.ts'
import type { MatchedRequest } from './router.ts'

/**
 * Has openapi-backend's validator judge a request as it was matched and parsed, with the validators that it has compiled.
 * By itself it parses the request once more, and looks for forms of parameters that this service does not read.
 *
 * @param validator whose `validateRequest` is replaced
 */
export function validateMatched(validator: OpenAPIValidator, operations: ContractOperation[]): void {
  const byId = new Map(
    operations.map(({ id, parameters }) => [
      id,
      {
        validators: validator.getRequestValidatorsForOperation(id),
        arrays: parameters.filter((parameter) => parameter.in === 'query' && parameter.schema?.['type'] === 'array').map(({ name }) => name),
      },
    ]),
  )
  validator.validateRequest = (request): ValidationResult => {
    // The engine gives it no other.
    const { operation, params, query, headers, requestBody } = request as unknown as MatchedParts
    const { validators, arrays } = byId.get(operation.operationId ?? '')!
    for (const name of arrays) {
      const value = query[name]
      if (typeof value === 'string') query[name] = [value]
    }
    const parts = { path: params, query, header: headers, cookie: {}, requestBody }
    const errors: ErrorObject[] = []
    for (const validate of validators) if (!validate(parts)) errors.push(...(validate.errors ?? []))
    return errors.length === 0 ? { valid: true } : { valid: false, errors }
  }
}

/** A matched request, whose parts validation writes the values into that it has read. */
type MatchedParts = Omit<MatchedRequest, 'query' | 'params' | 'requestBody'> & { query: Record<string, unknown>; params: unknown; requestBody: unknown }
