import type { ContractDocument } from 'fastify-contract/document'
import { type Direction, type Schema, createValueChecks } from 'fastify-contract/schema'
import { readContract } from '../suite/contract.ts'
import { type FlatSchema, flatten } from '../suite/flat-schema.ts'
import { NoValue, integerOf, numberOf, textOf } from './scalars.ts'

/** Which value of a schema is made. */
interface Choice {
  /** Selects among alternatives, constants and neighbouring values. */
  index: number
  /** Whether examples within the schema are values. */
  hasExamples: boolean
  /** Whether objects have only what they must have. */
  isLeast: boolean
  /** How many more values are made for what may be left out. */
  budget: { left: number }
}

const mostValues = 2_000
/** More levels of objects have only what they must have. */
const mostLevels = 5
/** A contract that needs more is taken for one that nothing satisfies. */
const mostRequiredLevels = 40

/** Makes values of a contract's schemas: always the same, plain ones, with every property. */
export class Sampler {
  readonly #source: ReturnType<typeof readContract>
  readonly #checkOf: ReturnType<typeof createValueChecks>
  readonly #direction: Direction

  /** @param document a dereferenced contract */
  constructor(document: ContractDocument, direction: Direction) {
    this.#source = readContract(document)
    this.#checkOf = createValueChecks(document.components?.schemas ?? {}, direction)
    this.#direction = direction
  }

  /** @param first selects among the values of a schema @throws NoValue without a known value */
  valueOf(schema: Schema, first = 0): unknown {
    const choices = [0, 1, 2, 3, 4].flatMap((step) =>
      (first === 0 ? [true, false] : [false]).flatMap((hasExamples) =>
        [false, true].map((isLeast) => ({ index: first + step, hasExamples, isLeast })),
      ),
    )
    for (const choice of choices) {
      try {
        const value = this.#draw(schema, { ...choice, budget: { left: mostValues } }, [], 0)
        if (this.isValid(value, schema)) return value
      } catch (error) {
        if (!(error instanceof NoValue)) throw error
      }
    }
    throw new NoValue('no value of the schema is known')
  }

  /** Whether a value is valid, as the server decides it. */
  isValid(value: unknown, schema: Schema): boolean {
    const check = this.#checkOf(schema)
    return typeof check === 'function' && check(value) === undefined
  }

  /** A schema with its `$ref` and `allOf` merged. */
  flat(schema: Schema | boolean): FlatSchema {
    return flatten(schema, this.#source)
  }

  /** Whether messages of the direction leave a property out. */
  isHidden(property: Schema | boolean): boolean {
    const { isReadOnly, isWriteOnly } = this.flat(property)
    return this.#direction === 'response' ? isWriteOnly : isReadOnly
  }

  /** @param trail the named schemas around it @throws NoValue */
  #draw(schema: Schema | boolean, choice: Choice, trail: readonly Schema[], level: number): unknown {
    const flat = this.flat(schema)
    choice.budget.left--
    if (level > mostRequiredLevels || flat.targets.some((target) => trail.includes(target))) {
      throw new NoValue('the schema contains itself')
    }
    const inside = [...trail, ...flat.targets]
    const { assertions } = flat
    if (choice.hasExamples) {
      const example = flat.examples.find((each) => this.#isWhole(each, flat))
      if (example !== undefined) return example
    }
    const alternatives = assertions.anyOf ?? assertions.oneOf
    if (alternatives !== undefined) return this.#drawAlternative(flat, alternatives, choice, inside, level)
    const constants = 'const' in assertions ? [assertions.const] : assertions.enum
    if (constants !== undefined) return constants[choice.index % constants.length]
    switch (typeOf(flat, choice.index)) {
      case 'null':
        return null
      case 'boolean':
        return choice.index % 2 === 0
      case 'integer':
        return integerOf(assertions, choice.index)
      case 'number':
        return numberOf(assertions, choice.index)
      case 'string':
        return textOf(assertions, choice.index)
      case 'array':
        return this.#drawList(flat, choice, inside, level)
      case 'object':
        return this.#drawObject(flat, choice, inside, level)
    }
  }

  /** Whether an example, which may be that of a part, has what is required and nothing that is left out. */
  #isWhole(example: unknown, { required, properties }: FlatSchema): boolean {
    if (typeof example !== 'object' || example === null || Array.isArray(example)) return true
    const isHidden = (name: string) => Object.hasOwn(properties, name) && this.isHidden(properties[name]!)
    const names = Object.keys(example)
    return required.every((name) => names.includes(name) || isHidden(name)) && !names.some(isHidden)
  }

  #drawAlternative(
    { assertions, properties, required, also }: FlatSchema,
    alternatives: Schema[],
    choice: Choice,
    trail: readonly Schema[],
    level: number,
  ): unknown {
    const { [assertions.anyOf === undefined ? 'oneOf' : 'anyOf']: _taken, ...others } = assertions
    const rest = { ...others, properties, required, allOf: also }
    const sorted = alternatives.toSorted((a, b) => Number(isNull(a)) - Number(isNull(b)))
    for (const offset of sorted.keys()) {
      try {
        // There is one at each index.
        const part = sorted[(choice.index + offset) % sorted.length]!
        return this.#draw({ allOf: [rest, part] }, choice, trail, level)
      } catch (error) {
        if (!(error instanceof NoValue)) throw error
      }
    }
    throw new NoValue('no alternative has a known value')
  }

  #drawList({ assertions }: FlatSchema, choice: Choice, trail: readonly Schema[], level: number): unknown[] {
    const { items = {}, minItems = 0, maxItems = Infinity } = assertions
    const length = Math.max(minItems, choice.isLeast || this.#isLate(choice, level) ? 0 : Math.min(1, maxItems))
    const list: unknown[] = []
    try {
      while (list.length < length) {
        const index = choice.index + list.length
        const hasExamples = choice.hasExamples && list.length === 0
        list.push(this.#draw(items, { ...choice, index, hasExamples }, trail, level + 1))
      }
    } catch (error) {
      if (!(error instanceof NoValue) || list.length < minItems) throw error
    }
    return list
  }

  #drawObject(flat: FlatSchema, choice: Choice, trail: readonly Schema[], level: number): object {
    const { properties, required, assertions } = flat
    const members: [string, unknown][] = []
    const names = [...new Set([...required, ...Object.keys(properties)])]
    for (const name of names) {
      const isRequired = required.includes(name)
      const schema = Object.hasOwn(properties, name) ? properties[name]! : (assertions.additionalProperties ?? true)
      if (schema !== true && this.isHidden(schema)) continue
      if (!isRequired && (choice.isLeast || this.#isLate(choice, level))) continue
      try {
        members.push([name, this.#draw(schema, choice, trail, level + 1)])
      } catch (error) {
        if (!(error instanceof NoValue) || isRequired) throw error
      }
    }
    const { minProperties = 0, additionalProperties = true } = assertions as {
      minProperties?: number
    } & typeof assertions
    while (members.length < minProperties) {
      const value = this.#draw(additionalProperties, choice, trail, level + 1)
      members.push([`property${String(members.length + 1)}`, value])
    }
    const inOrder = members.toSorted(([a], [b]) => orderIn(properties, a) - orderIn(properties, b))
    return Object.fromEntries(inOrder)
  }

  #isLate({ budget }: Choice, level: number): boolean {
    return budget.left <= 0 || level >= mostLevels
  }
}

function orderIn(properties: object, name: string): number {
  const index = Object.keys(properties).indexOf(name)
  return index === -1 ? Infinity : index
}

function isNull({ type }: Schema): boolean {
  return type === 'null'
}

type Type = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** The type of a schema's value; of several, `null` comes last. */
function typeOf({ assertions, properties, required }: FlatSchema, index: number): Type {
  const { type = [], items, minimum, maximum } = assertions
  const types = [type].flat().toSorted((a, b) => Number(a === 'null') - Number(b === 'null'))
  if (types.length > 0) return types[index % types.length]!
  if (Object.keys(properties).length + required.length > 0) return 'object'
  if ('additionalProperties' in assertions || 'minProperties' in assertions) return 'object'
  if (items !== undefined) return 'array'
  return (minimum ?? maximum) === undefined ? 'string' : 'number'
}
