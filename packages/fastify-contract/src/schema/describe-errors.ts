import type { ErrorObject } from 'ajv'
import { escapeName } from '../json/pointer.ts'

/** Names the place and the rule of each error, and no value: `body/name must NOT have more than 255 characters`. */
export function describeErrors(errors: ErrorObject[]): string {
  return errors.map(describeError).join('; ')
}

function describeError({ instancePath, keyword, message = 'is not valid', params, propertyName }: ErrorObject): string {
  const place = instancePath.replace(/^\//, '').replace(/^requestBody/, 'body')
  const at = (name: unknown) => `${place === '' ? '' : `${place}/`}${escapeName(String(name))}`
  switch (keyword) {
    case 'required': {
      const name = at(params['missingProperty'])
      return `${name === 'requestBody' ? 'body' : name} is required`
    }
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'closed': {
      const { additionalProperty, unevaluatedProperty, name } = params
      return `${at(additionalProperty ?? unevaluatedProperty ?? name)} ${undeclaredIn(place)}`
    }
    case 'false schema':
      return `${place} is not allowed here`
  }
  // The schema of a name is validated at the place of the object.
  return propertyName === undefined ? `${place} ${message}`.trim() : `the name of ${at(propertyName)} ${message}`
}

function undeclaredIn(place: string): string {
  if (place === 'query') return 'is not a parameter of this operation'
  return place === 'header' ? 'is not a header of this response' : 'is not a property here'
}
