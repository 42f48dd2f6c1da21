import type { ContractDocument, PathItem } from './document.ts'
import { operationPlaces } from './methods.ts'

/**
 * Leaves some operations of a contract out.
 *
 * @param only the operationIds of those that stay; undefined for all
 * @returns a copy, and the operationIds that the contract does not have
 */
export function chooseOperations(
  document: ContractDocument,
  only: readonly PropertyKey[] | undefined,
): { document: ContractDocument; unknown: string[] } {
  if (only === undefined) return { document, unknown: [] }
  const found = new Set<PropertyKey>()
  const choose = (item: PathItem): PathItem => {
    const { additionalOperations: others, ...fields } = item
    const chosen: PathItem = { ...fields, ...(others === undefined ? {} : { additionalOperations: { ...others } }) }
    for (const { holder, key, object } of operationPlaces(chosen)) {
      const id = only.find((each) => each === object['operationId'])
      if (id === undefined) Reflect.deleteProperty(holder, key)
      else found.add(id)
    }
    return chosen
  }
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [path, choose(item)] as const)
  return {
    document: { ...document, paths: Object.fromEntries(paths) },
    unknown: only.filter((id) => !found.has(id)).map(String),
  }
}
