import type { ErrorObject } from 'ajv'

/** Names the place and the rule of each error: `body/name must NOT have more than 255 characters`. */
export function describeErrors(errors: ErrorObject[]): string {
  return errors.map(describeError).join('; ')
}

function describeError({ instancePath, keyword, message = 'is not valid', params }: ErrorObject): string {
  const place = instancePath.replace(/^\//, '').replace(/^requestBody/, 'body')
  if (keyword === 'required') {
    const name = String(params['missingProperty'])
    if (place === '') return `${name === 'requestBody' ? 'body' : name} is required`
    return `${place}/${name} is required`
  }
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const name = String(params['additionalProperty'] ?? params['unevaluatedProperty'])
    const problem = place === 'query' ? 'is not a parameter of this operation' : 'is not a property here'
    return `${place === '' ? name : `${place}/${name}`} ${problem}`
  }
  if (keyword === 'false schema') return `${place} is not allowed here`
  return `${place} ${message}`.trim()
}
