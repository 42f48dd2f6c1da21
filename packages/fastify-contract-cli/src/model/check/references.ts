import { type NamedSchemas, type Schema, subschemasOf, targetOf } from 'fastify-contract/schema'
import { namedSchemas } from '../mend/context.ts'
import type { Mending } from '../mend/mending.ts'
import { isStray } from '../mend/references.ts'
import type { ContractObject } from '../mend/visit.ts'
import { sections } from '../table/components.ts'
import type { Kind } from '../rules/keyword.ts'
import { articleAndName } from '../mend/shape.ts'
import type { References } from '../yaml/follow.ts'
import type { Draft } from '../yaml/node.ts'

/** Finds references that lead to nothing or to an object of another kind, and schemas that contain themselves. */
export function checkReferences(
  objects: readonly ContractObject[],
  { document, references, reject, attempt }: Mending,
): void {
  const kinds = new Map<unknown, Kind>(objects.map(({ object, kind }) => [object, kind]))
  let isBroken = false
  for (const { object, kind } of objects) {
    // Elsewhere it is not a keyword, or rejected.
    const section = sections.get(kind)
    if (section === undefined || !('$ref' in object)) continue
    const text = referenceProblem(object, section, kind, kinds, references)
    if (text === undefined) continue
    reject({ object, key: '$ref' }, text)
    isBroken = true
  }
  if (isBroken) return
  const schemas = objects.flatMap(({ object, kind }) => (kind === 'schema' ? [object] : []))
  for (const object of attempt(() => selfContainedSchemas(schemas, namedSchemas(document))) ?? [])
    reject({ object }, 'the schema contains itself with no object between; refer to it from a property')
}

function referenceProblem(
  object: Draft,
  section: string,
  kind: Kind,
  kinds: ReadonlyMap<unknown, Kind>,
  references: References,
): string | undefined {
  const { $ref: reference } = object
  // The table has refused it.
  if (typeof reference !== 'string') return undefined
  const { end, problem } = references.follow(object)
  if (problem !== undefined) return problem
  const isOfKind = typeof end === 'boolean' || kinds.get(references.targetOf(reference)) === kind
  return isOfKind && !isStray(object, section)
    ? undefined
    : `$ref: ${reference} is not ${articleAndName(kind)}; refer to one in components/${section}`
}

/**
 * Finds the schemas that contain themselves with no object between: for the same value, where no validation ends, or as
 * the items of an array, where TypeScript rejects the type.
 */
function selfContainedSchemas(schemas: Schema[], named: NamedSchemas): Schema[] {
  const [open, done] = [new Set<Schema>(), new Set<Schema>()]
  function visit(schema: Schema): Schema[] {
    if (open.has(schema)) return [schema]
    if (done.has(schema)) return []
    open.add(schema)
    const inside = subschemasOf(schema).flatMap(({ keyword, applies, schema: part }) =>
      applies === 'to the value' || /^(?:items|prefixItems)$/.test(keyword) ? [part] : [],
    )
    const found = [targetOf(schema, named) ?? [], ...inside].flat().flatMap(visit)
    open.delete(schema)
    done.add(schema)
    return found
  }
  return schemas.flatMap(visit)
}
