import { AcceptedValues, type Reading } from './accepted-values.ts'
import type { Side } from './contract-side.ts'
import type { Gain } from './gained-values.ts'
import { joinSchemas } from './joined-schemas.ts'
import type { RedoclyChange } from './redocly-diff.ts'
import type { SchemaUse } from './schema-uses.ts'

/** What the values of schemas show: they are the same, or clients are served as before; undefined for nothing. */
type Shown = 'editorial' | 'compatible' | undefined

/** Judges a change by the values of the schemas around it, wherever clients send or get them. */
export type Proof = (change: RedoclyChange) => Shown

/** @param gains those that are compatible are no difference beside other changes */
export function createValueComparison(old: Side, current: Side, gains: readonly Gain[]): Proof {
  const expected = gains.filter(({ impact }) => impact === 'compatible')
  const enums = new Map(expected.map(({ schema, values }) => [schema, values]))
  const { schemas, earlier } = joinSchemas(old.schemas, current.schemas, enums)
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
