import { type ContractDocument, operationsIn } from 'fastify-contract/document'
import { lookUp, namesOf } from 'fastify-contract/json'
import { type NamedSchemas, type Subschema, isSchema } from 'fastify-contract/schema'
import { isObject } from '../suite/ground/members.ts'
import { namesIn } from './joined-schemas.ts'
import { pointerInContract } from './redocly-diff.ts'
import { operationNames, schemaUses } from './schema-uses.ts'

/** One of two contracts, as far as places in it are concerned. */
export type Side = ReturnType<typeof sideOf>

export function sideOf(document: ContractDocument) {
  const uses = schemaUses(document)
  const { components: { schemas = {} } = {} } = document
  const reached = [...uses].map(([key, { schema }]) => [key, schemasFrom(schema, schemas)] as const)
  const sent = objectsFrom(document, callbacksOf(document))
  return {
    uses,
    schemas,
    operations: operationNames(document),
    /** The objects around a place and at it, the uses of the schemas among them, and whether the service sends one by itself. */
    placeOf(pointer: string | undefined) {
      const path = pointer === undefined ? [] : objectsOn(document, namesOf(pointerInContract(pointer)))
      return {
        path,
        uses: reached.filter(([, from]) => path.some((each) => from.has(each))).map(([key]) => key),
        isSent: path.some((each) => sent.has(each)),
      }
    },
  }
}

/** A schema, and the named ones that it refers to at any depth. */
function schemasFrom(schema: Subschema, schemas: NamedSchemas): Set<unknown> {
  const found = new Set<Subschema>([schema])
  for (const each of found) if (isSchema(each)) for (const name of namesIn(each)) found.add(schemas[name] ?? true)
  return found
}

function callbacksOf(document: ContractDocument): unknown[] {
  const items = [...Object.values(document.paths ?? {}), ...Object.values(document.webhooks ?? {})]
  const operations = items.flatMap(operationsIn).map(({ written }) => written)
  return [
    document.webhooks,
    ...operations.map((operation) => ('callbacks' in operation ? operation.callbacks : undefined)),
  ]
}

/** The objects within some members, also through references. */
function objectsFrom(document: ContractDocument, members: readonly unknown[]): Set<unknown> {
  const found = new Set(members)
  for (const each of found) {
    if (typeof each !== 'object' || each === null) continue
    for (const member of Object.values(each)) found.add(member)
    if ('$ref' in each && typeof each.$ref === 'string') found.add(lookUp(document, each.$ref))
  }
  return new Set([...found].filter((each) => typeof each === 'object'))
}

/** The objects on a path of names. A copy for Redocly has media types in place of references to them. */
function objectsOn(document: ContractDocument, names: readonly string[]): object[] {
  const found: object[] = []
  let object: unknown = document
  for (const name of names) {
    if (isObject(object) && typeof object['$ref'] === 'string' && !(name in object))
      object = lookUp(document, object['$ref'])
    if (typeof object !== 'object' || object === null) break
    found.push(object)
    object = Reflect.get(object, name)
  }
  return typeof object === 'object' && object !== null ? [...found, object] : found
}
