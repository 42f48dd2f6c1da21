import { type ContractDocument, operationsIn } from 'fastify-contract/document'
import { lookUp, namesOf } from 'fastify-contract/json'
import { type NamedSchemas, type Subschema, isSchema } from 'fastify-contract/schema'
import { isObject } from '../suite/ground/members.ts'
import { AcceptedValues, type Reading } from './accepted-values.ts'
import { joinSchemas, namesIn } from './joined-schemas.ts'
import { type RedoclyChange, pointerInContract } from './redocly-diff.ts'
import { type SchemaUse, schemaUses } from './schema-uses.ts'

/** What the values of schemas show: they are the same, or clients are served as before; undefined for nothing. */
type Shown = 'editorial' | 'compatible' | undefined

/** Judges a change by the values of the schemas around it, wherever clients send or get them. */
export type Proof = (change: RedoclyChange) => Shown

export function createValueComparison(before: ContractDocument, after: ContractDocument): Proof {
  const [old, current] = [sideOf(before), sideOf(after)]
  const { schemas, earlier } = joinSchemas(namedIn(before), namedIn(after))
  const provers = new Map<string, AcceptedValues>()
  const shown = new Map<string, Shown>()

  function proverOf({ direction, isText }: Reading): AcceptedValues {
    const key = `${direction} ${String(isText)}`
    const prover = provers.get(key) ?? new AcceptedValues(schemas, { direction, isText })
    provers.set(key, prover)
    return prover
  }

  function compare(was: SchemaUse, is: SchemaUse): Shown {
    const [prover, schema] = [proverOf(is), earlier(was.schema)]
    if (was.isText !== is.isText || !prover.serves(schema, is.schema)) return undefined
    return prover.serves(is.schema, schema) ? 'editorial' : 'compatible'
  }

  return ({ base, revision }) => {
    const places = [old.placeOf(base?.pointer), current.placeOf(revision?.pointer)]
    const found = [...new Set(places.flatMap(({ uses }) => uses))].flatMap((key) => {
      const [was, is] = [old.uses.get(key), current.uses.get(key)]
      if (was === undefined || is === undefined) return []
      if (!shown.has(key)) shown.set(key, compare(was, is))
      return [shown.get(key)]
    })
    if (found.length === 0 || found.includes(undefined) || places.some(({ isSent }) => isSent)) return undefined
    return found.includes('compatible') ? 'compatible' : 'editorial'
  }
}

/** A contract, as far as places in it are concerned. */
function sideOf(document: ContractDocument) {
  const uses = schemaUses(document)
  const schemas = namedIn(document)
  const reached = [...uses].map(([key, { schema }]) => [key, schemasFrom(schema, schemas)] as const)
  const sent = objectsFrom(document, callbacksOf(document))
  return {
    uses,
    /** The uses of the schemas around a place, and whether they are in what the service sends by itself. */
    placeOf(pointer: string | undefined) {
      const path = pointer === undefined ? [] : objectsOn(document, namesOf(pointerInContract(pointer)))
      return {
        uses: reached.filter(([, from]) => path.some((each) => from.has(each))).map(([key]) => key),
        isSent: path.some((each) => sent.has(each)),
      }
    },
  }
}

function namedIn({ components: { schemas = {} } = {} }: ContractDocument): NamedSchemas {
  return schemas
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
