import type { ContractOperation, Parameter } from 'fastify-contract/document'
import type { Json } from '../draw/json-value.ts'
import type { Members } from '../ground/members.ts'
import { type Part, parameterPart } from './part.ts'

/** What a request is made of: the values of its parameters by place and name, where undefined is none, and its body. */
export interface RequestParts extends Partial<Record<Parameter['in'], Members>> {
  body?: Json
  /** The media type of the body; by default the first. */
  type?: string
  /** Chooses among the ways to write the same; 0 is the plainest. */
  way: number
}

/** The parameters in some places that a request has, in the order of the contract, with their values. */
export function valuesIn(
  parts: RequestParts,
  { parameters }: ContractOperation,
  places: readonly Parameter['in'][],
): [Part, Json][] {
  const own = parameters.filter((parameter) => places.includes(parameter.in))
  return own.flatMap((parameter): [Part, Json][] => {
    const values = parts[parameter.in] ?? {}
    const value = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined
    return value === undefined ? [] : [[parameterPart(parameter), value]]
  })
}

/** Gives a request another value of a part; undefined leaves it out. */
export function withValue(parts: RequestParts, { path, type }: Part, value: Json): RequestParts {
  return withMember(path[0] === 'body' ? { ...parts, type } : parts, path, value)
}

/** The member of a value, or of a member of it, or of an item; undefined where it has none. */
export function memberAt(value: Json, path: readonly string[]): Json {
  return path.reduce<Json>((whole, name) => {
    return typeof whole === 'object' && whole !== null && Object.hasOwn(whole, name)
      ? Reflect.get(whole, name)
      : undefined
  }, value)
}

function withMember<Whole extends object>(whole: Whole, [name = '', ...inner]: readonly string[], value: Json): Whole {
  const own: Json = Object.hasOwn(whole, name) ? Reflect.get(whole, name) : undefined
  return { ...whole, [name]: inner.length === 0 ? value : withMember({ ...(own ?? {}) }, inner, value) }
}
