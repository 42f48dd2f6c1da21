import { besideProblem } from '../table/examples.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'

/** Removes a keyword that documents, where one of others says the same. */
export function removeBeside(name: string, ...others: string[]) {
  return ({ object }: ContractObject, { remove }: Mending): void => {
    const other = name in object ? others.find((each) => each in object) : undefined
    if (other !== undefined) remove(object, name, `${name}: ${besideProblem(other)}`)
  }
}

/** `dataValue` of OpenAPI 3.2 is what `value` is in any other version. */
export function readAsValue({ object }: ContractObject): void {
  if (!('dataValue' in object) || 'value' in object) return
  object['value'] = object['dataValue']
  Reflect.deleteProperty(object, 'dataValue')
}
