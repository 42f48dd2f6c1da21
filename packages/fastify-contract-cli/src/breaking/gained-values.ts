import { inPlace, isSchema, propertiesOf, subschemasOf } from 'fastify-contract/schema'
import type { Subschema } from 'fastify-contract/schema'
import { isList, isObject } from '../suite/ground/members.ts'
import { once } from '../suite/ground/once.ts'
import type { Side } from './contract-side.ts'
import type { RedoclyChange } from './redocly-diff.ts'

/** What it means for clients of the earlier contract that an enum of responses has more values, and why. */
export interface Gain {
  impact: 'breaking' | 'compatible'
  reason: string
  /** The schema of the enum in the earlier contract. */
  schema: unknown
  /** The values of both contracts. */
  values: readonly unknown[]
}

const remedy =
  'first release a contract that says that clients must expect further values, by `x-extensible-enum: true`'

/** Whether more values of an enum of responses are all by which a change breaks clients. */
export function isGain({ verdicts }: RedoclyChange): boolean {
  const breaking = verdicts.filter(({ impact }) => impact === 'major')
  return breaking.length > 0 && breaking.every(({ ruleId }) => ruleId === 'enum-values-added')
}

/** Judges the changes that are gains. */
export function gainsIn(changes: readonly RedoclyChange[], old: Side, current: Side): Map<RedoclyChange, Gain> {
  const tags = once(() => tagsOf(old))

  function gainOf({ base, revision }: RedoclyChange): Gain {
    const [was, is] = [old.placeOf(base?.pointer), current.placeOf(revision?.pointer)]
    // The last objects are the enums.
    const schema = was.path.at(-2)
    const gain = { schema, values: [...new Set([was.path.at(-1), is.path.at(-1)].filter(isList).flat())] }
    if (tags().has(schema)) return { ...gain, impact: 'breaking', reason: 'clients tell schemas apart by it' }
    if (expectsFurther(schema)) return { ...gain, impact: 'compatible', reason: 'clients must expect further values' }
    // By the status, clients know what a failure with an unknown value means (RFC 9110, section 15).
    const isFailure = was.uses
      .map((key) => old.uses.get(key))
      .every((use) => use?.isFailure === true || use?.direction === 'request')
    const operation = isFailure && !was.isSent ? addedOperation(is.uses) : undefined
    if (operation === undefined) return { ...gain, impact: 'breaking', reason: remedy }
    return { ...gain, impact: 'compatible', reason: `the value comes with the new operation ${operation}` }
  }

  /** The name of an operation that only the later contract has, with one of some uses in a response. */
  function addedOperation(uses: readonly string[]): string | undefined {
    const responses = uses.flatMap((key) => {
      const { direction, operation } = current.uses.get(key) ?? {}
      return direction === 'response' && operation !== undefined ? [operation] : []
    })
    const added = responses.find((operation) => !old.operations.has(operation))
    return added === undefined ? undefined : current.operations.get(added)
  }

  return new Map(changes.filter(isGain).map((change) => [change, gainOf(change)]))
}

/**
 * Whether a schema says that clients must expect further values.
 *
 * @see https://opensource.zalando.com/restful-api-guidelines/#112
 */
function expectsFurther(schema: unknown): boolean {
  if (!isObject(schema)) return false
  const { 'x-extensible-enum': extensible = false, description = '' } = schema
  return extensible !== false || /clients\s+must\s+expect\s+further/i.test(String(description))
}

/** The schemas of the properties by which discriminators tell schemas apart. */
function tagsOf({ uses, schemas }: Side): ReadonlySet<unknown> {
  const all = new Set<Subschema>([...Object.values(schemas), ...[...uses.values()].map(({ schema }) => schema)])
  for (const each of all) if (isSchema(each)) for (const part of subschemasOf(each)) all.add(part.schema)
  const tags = [...all].flatMap((each) => {
    const discriminators = inPlace(each, schemas, 'always').flatMap(({ discriminator = [] }) => discriminator)
    return discriminators.flatMap(({ propertyName }) => inPlace(propertiesOf(each, schemas).get(propertyName), schemas))
  })
  return new Set(tags)
}
