import {
  type ContractDocument,
  type PathItem,
  type SecurityRequirement,
  operationsIn,
} from '../../document/document.ts'
import { isMap } from '../../document/methods.ts'

/** Copies a contract with the security of each path item (OpenAPI 3.3) in its operations: Swagger UI does not know it. */
export function withSecurity(written: object): object {
  // `generate` has checked the structure.
  const { paths = {}, components = {} } = written as Partial<ContractDocument>
  const { pathItems } = components
  return {
    ...written,
    paths: itemsWithSecurity(paths),
    ...(isMap(pathItems) ? { components: { ...components, pathItems: itemsWithSecurity(pathItems) } } : {}),
  }
}

function itemsWithSecurity(items: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(items).map(([path, item]) => {
      // An extension, or a component that nothing uses, may be anything.
      if (!isMap(item) || item['security'] === undefined) return [path, item]
      const { security, ...own } = item as PathItem & { security?: SecurityRequirement[] }
      const operations = operationsIn(own).flatMap(({ method, written }) =>
        Object.hasOwn(own, method) ? [[method, { security, ...written }]] : [],
      )
      return [path, { ...own, ...Object.fromEntries(operations) }]
    }),
  )
}
