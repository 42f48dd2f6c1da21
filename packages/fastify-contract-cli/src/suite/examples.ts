import type { ContractOperation, Exampled, Parameter } from 'fastify-contract/document'
import { bodyTypes } from './bodies.ts'
import type { Json, SchemaSource } from './flat-schema.ts'
import { type ContractRequest, written } from './requests.ts'

/** The examples of a parameter, a header or a media type by name; one that has none is `(unnamed)`. */
export function examplesOf({ example, examples = {} }: Exampled): Map<string, Json> {
  const named = Object.entries(examples).map(([name, { value }]): [string, Json] => [name, value])
  return new Map(example === undefined ? named : [...named, ['(unnamed)', example]])
}

/** An example of a request by its name, and its body. */
export interface RequestExample {
  name: string
  request: ContractRequest
  body: Json
}

/**
 * The examples of an operation's requests. A part without an example of the name has its first one, or none where it
 * may be left out.
 */
export function requestExamplesOf(operation: ContractOperation, contract: SchemaSource): RequestExample[] {
  const { parameters, object } = operation
  const bodies = examplesOf(object.requestBody?.content[bodyTypes(operation)[0] ?? ''] ?? {})
  const names = new Set([bodies, ...parameters.map(examplesOf)].flatMap((examples) => [...examples.keys()]))
  // An operation that is asked for nothing has one request.
  if (parameters.length === 0 && object.requestBody === undefined) names.add('(unnamed)')
  return [...names].map((name) => {
    const body = bodies.get(name) ?? [...bodies.values()][0]
    const values = parameters.flatMap((parameter): [Parameter, Json][] => {
      const examples = examplesOf(parameter)
      const value = examples.get(name) ?? (parameter.required === true ? [...examples.values()][0] : undefined)
      return value === undefined ? [] : [[parameter, value]]
    })
    return { name, body, request: written(operation, { parameters: values, body, way: 0 }, contract) }
  })
}
