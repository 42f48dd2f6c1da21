import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'

/** Nothing has as many as the greatest count that a number is exact for. */
export function mendCounts({ object }: ContractObject): void {
  for (const name of ['Length', 'Items', 'Contains', 'Properties'].flatMap((of) => [`min${of}`, `max${of}`])) {
    const value = object[name]
    if (!(typeof value === 'bigint' || Number.isInteger(value)) || Number(value) < Number.MAX_SAFE_INTEGER) continue
    if (name.startsWith('max')) Reflect.deleteProperty(object, name)
    else object[name] = Number.MAX_SAFE_INTEGER
  }
}

export function removeEmptyList({ object }: ContractObject, { remove }: Mending): void {
  const { allOf } = object
  if (Array.isArray(allOf) && allOf.length === 0)
    remove(object, 'allOf', 'allOf: is empty, and asks for nothing; list schemas, or remove it')
}

/** References by identifiers have become JSON Pointers. */
export function removeIdentifiers({ object }: ContractObject): void {
  for (const name of ['$id', '$anchor', '$dynamicAnchor']) Reflect.deleteProperty(object, name)
}
