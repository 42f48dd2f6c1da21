import { inPlace, isSchema, propertiesOf, subschemasOf } from 'fastify-contract/schema'
import type { Subschema } from 'fastify-contract/schema'
import { isObject } from '../suite/ground/members.ts'
import { once } from '../suite/ground/once.ts'
import type { Side } from './contract-side.ts'
import type { RedoclyChange } from './redocly-diff.ts'

/** What values that an enum gains in responses mean for the clients of the earlier contract, and why. */
export interface Gain {
  impact: 'breaking' | 'compatible'
  reason: string
}

const remedy =
  'first release a contract that says that clients must expect further values, by `x-extensible-enum: true`'

/** Whether all that breaks clients in a change is that an enum of responses has more values. */
export function isGain({ verdicts }: RedoclyChange): boolean {
  const breaking = verdicts.filter(({ impact }) => impact === 'major')
  return breaking.length > 0 && breaking.every(({ ruleId }) => ruleId === 'enum-values-added')
}

/** Makes the function that judges such a change. */
export function createGainJudge(old: Side, current: Side): (change: RedoclyChange) => Gain {
  const tags = once(() => tagsOf(old))

  /** The name of an operation that only the later contract has, with the schema in a response. */
  function addedOperation(place: RedoclyChange['revision']): string | undefined {
    const responses = current.placeOf(place?.pointer).uses.flatMap((key) => {
      const { direction, operation } = current.uses.get(key) ?? {}
      return direction === 'response' && operation !== undefined ? [operation] : []
    })
    const added = responses.find((operation) => !old.operations.has(operation))
    return added === undefined ? undefined : current.operations.get(added)
  }

  return ({ base, revision }) => {
    const { path, uses, isSent } = old.placeOf(base?.pointer.replace(/\/enum$/, ''))
    const schema = path.at(-1)
    if (tags().has(schema)) return { impact: 'breaking', reason: 'clients tell schemas apart by it' }
    if (expectsFurther(schema)) return { impact: 'compatible', reason: 'clients must expect further values' }
    // By the status, clients know what a failure with an unknown value means (RFC 9110, section 15).
    const isFailure = uses
      .map((key) => old.uses.get(key))
      .every((use) => use?.isFailure === true || use?.direction === 'request')
    const added = isFailure && !isSent ? addedOperation(revision) : undefined
    return added === undefined
      ? { impact: 'breaking', reason: remedy }
      : { impact: 'compatible', reason: `the value comes with the new operation ${added}` }
  }
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
