import { isObject } from '../../json/json.ts'
import { keyOf } from './scalar-assertions.ts'
import { constantsOf, propertiesOf, requiredOf } from '../read/meaning.ts'
import { isPlainObject } from './json-view.ts'
import { type Viewing, readNamed } from './plain-objects.ts'
import type { Discriminator } from './rewritten-schema.ts'
import type { NamedSchemas, Subschema } from '../read/schema.ts'

/**
 * Finds a property that alternatives require and limit to constants, whether or not the contract has the keyword
 * `discriminator`.
 *
 * @param alternatives the value of `anyOf` or `oneOf`
 * @param hidden the properties that the direction does not allow
 * @returns the property of most alternatives; undefined if it is one of fewer than two
 */
export function discriminatorOf(
  alternatives: readonly Subschema[] | undefined,
  schemas: NamedSchemas,
  hidden: ReadonlySet<string>,
): Discriminator | undefined {
  if (alternatives === undefined) return undefined
  const constants = alternatives.map((each) => requiredConstants(each, schemas))
  const names = constants.flatMap((each) => [...each.keys()]).filter((name) => !hidden.has(name))
  const byName = [...Map.groupBy(names, (name) => name)]
  const [largest] = byName.sort(([, some], [, others]) => others.length - some.length)
  if (largest === undefined || largest[1].length < 2) return undefined
  const [name] = largest
  return { name, constants: constants.map((each) => each.get(name)) }
}

/** The constants of each required property. */
function requiredConstants(schema: Subschema, schemas: NamedSchemas): Map<string, readonly unknown[]> {
  const required = requiredOf(schema, schemas)
  const properties = [...propertiesOf(schema, schemas, 'always')].filter(([name]) => required.has(name))
  return new Map(
    properties.flatMap(([name, property]): [string, readonly unknown[]][] => {
      const constants = constantsOf(property, schemas).find((list) => list.every(isPlain))
      return constants === undefined ? [] : [[name, constants]]
    }),
  )
}

/** Whether a constant is a scalar that no other text of a number is rounded to. */
function isPlain(constant: unknown): boolean {
  return typeof constant === 'number' ? Number.isSafeInteger(constant) : /^(?:string|boolean)$/.test(typeof constant)
}

/**
 * Makes the selection of the alternatives that may apply to a value.
 *
 * @returns those, and whether the value is of none that the property tells apart
 */
export function selectionOf<Branch>(branches: Branch[], { name, constants }: Discriminator) {
  const keys = constants.map((each) => each && new Set(each.map(keyOf)))
  const others = keys.filter((set) => set === undefined).length
  return (value: unknown, state: Viewing): { selected: Branch[]; isNone: boolean } => {
    if (!isObject(value)) return { selected: branches, isNone: false }
    if (state.isReply && !isPlainObject(value)) readNamed(state, value, [name])
    const key = Object.hasOwn(value, name) ? keyOf(value[name]) : undefined
    const selected = branches.filter((_branch, index) => keys[index]?.has(key) ?? true)
    return { selected, isNone: selected.length === others }
  }
}
