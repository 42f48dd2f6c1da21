import { integerRanges, isIntegerFormat } from 'fastify-contract/json'
import type { ApplicatorName, AssertionName, ChoiceName, Direction, JsonType } from 'fastify-contract/schema'
import type { KeywordName, NamedSchemas, Schema, Subschema } from 'fastify-contract/schema'
import { choiceNames, constantsOf, createValueChecks, defaultOf, inPlace } from 'fastify-contract/schema'
import { isMarked, keywordNames, propertiesOf, requiredOf, schemaNameOf, typesOf } from 'fastify-contract/schema'
import { canonical } from '../suite/ground/exact-json.ts'
import { textOf } from './joined-schemas.ts'

/** How values are read. */
export interface Reading {
  direction: Direction
  /** Whether they are texts, each of which may be of several types. */
  isText: boolean
}

/** The values that keep each of several schemas. */
interface Values {
  /** Without `$ref` and `allOf`. */
  parts: readonly Schema[]
  /** Properties that may have any value: those of the alternatives that were not chosen. */
  loose: readonly string[]
}

type Discriminator = NonNullable<Schema['discriminator']>

/** Proves that all values keep a keyword of a schema. */
type Proof = (schema: Schema, values: Values) => boolean

/** How many steps the proofs for one comparison may take. */
const longest = 50_000
/** How many levels of required properties may show that two schemas exclude each other. */
const deepest = 3

/**
 * Proves that one schema accepts what another one does, as the library reads them: an object that is not open has
 * declared properties only. What is not proven may be so all the same.
 */
export class AcceptedValues {
  readonly #schemas: NamedSchemas
  readonly #reading: Reading
  readonly #checkOf: ReturnType<typeof createValueChecks>
  /** What is proven, if all of it is: schemas may contain themselves. */
  readonly #proven = new Set<string>()
  readonly #order: string[] = []
  readonly #unproven = new Set<string>()
  readonly #ids = new Map<string, number>()
  #steps = 0

  constructor(schemas: NamedSchemas, reading: Reading) {
    this.#schemas = schemas
    this.#reading = reading
    this.#checkOf = createValueChecks(schemas, reading.direction)
  }

  /** Whether the later schema serves the clients of the earlier one. */
  serves(earlier: Subschema, later: Subschema): boolean {
    const [wide, narrow] = this.#reading.direction === 'request' ? [later, earlier] : [earlier, later]
    const [use, other] = [wide, narrow].map((schema) => canonical(defaultOf(schema, this.#schemas)))
    return use === other && this.#acceptsMember(wide, [narrow])
  }

  /** Whether a schema accepts the values of a property, of an item or a whole, and says the same of their use. */
  #acceptsMember(wide: Subschema, given: readonly Subschema[]): boolean {
    const narrow: Schema = { allOf: given }
    // How a text is split depends on the types.
    const [split, other] = [wide, narrow].map((schema) =>
      (['array', 'object'] as const).map((type) => this.#reading.isText && typesOf(schema, this.#schemas).has(type)),
    )
    return (
      canonical(split) === canonical(other) &&
      this.#accepts(wide, { parts: this.#partsOf(given), loose: [] }, []) &&
      this.#usesAlike(wide, narrow) &&
      this.#namesAlike(wide, narrow)
    )
  }

  /** Whether both schemas leave out and fill in the same properties. What one alternative leaves out, the whole does. */
  #usesAlike(wide: Subschema, narrow: Subschema): boolean {
    const [all, given] = [this.#usesOf(wide), this.#usesOf(narrow)]
    const isNarrowOpen = isOpen(inPlace(narrow, this.#schemas))
    return [...all].every(([name, use]) => use === (given.get(name) ?? (isNarrowOpen ? this.#useOf({}) : use)))
  }

  /** Whether discriminators, where both have them, know the alternatives of the narrower schema by the same names. */
  #namesAlike(wide: Subschema, narrow: Subschema): boolean {
    const [all = [], given = []] = [wide, narrow].map((schema) =>
      inPlace(schema, this.#schemas).flatMap(({ discriminator = [] }) => discriminator),
    )
    const knows = (one: Discriminator, { propertyName, mapping = {} }: Discriminator) =>
      one.propertyName === propertyName && Object.entries(mapping).every(([name, to]) => one.mapping?.[name] === to)
    return all.length === 0 || given.every((each) => all.some((one) => knows(one, each)))
  }

  #usesOf(schema: Subschema): Map<string, string> {
    const always = propertiesOf(schema, this.#schemas, 'always')
    const all = [...propertiesOf(schema, this.#schemas)]
    return new Map(all.map(([name, property]) => [name, this.#useOf(property, always.get(name))]))
  }

  #useOf(property: Subschema, always?: Subschema): string {
    const marks = (['readOnly', 'writeOnly'] as const).map((mark) => isMarked(property, this.#schemas, mark))
    return canonical([...marks, defaultOf(always, this.#schemas)])
  }

  /** @param around the parts of the schema of which this one is an alternative */
  #accepts(wide: Subschema, values: Values, around: readonly Schema[]): boolean {
    const key = JSON.stringify([
      this.#idsOf(this.#partsOf([wide])),
      this.#idsOf(values.parts),
      values.loose,
      this.#idsOf(around),
    ])
    if (this.#proven.has(key)) return true
    if (this.#unproven.has(key) || ++this.#steps > longest) return false
    const { length } = this.#order
    this.#proven.add(key)
    this.#order.push(key)
    if (
      this.#isEmpty(values.parts) ||
      this.#acceptsAll(wide, values, around) ||
      // To compile a check is slow.
      this.#acceptsConstants(wide, values) ||
      this.#casesOf(values).some((cases) => cases.every((each) => this.#accepts(wide, each, around)))
    )
      return true
    // What was proven meanwhile may rest on this.
    for (const each of this.#order.splice(length)) this.#proven.delete(each)
    this.#unproven.add(key)
    return false
  }

  /** Whether a schema accepts scalars that are listed, by the checks of the server. */
  #acceptsConstants(wide: Subschema, { parts }: Values): boolean {
    const [constants = [{}]] = constantsOf({ allOf: parts }, this.#schemas)
    if (this.#reading.isText || constants.some((each) => typeof each === 'object' && each !== null)) return false
    const check = this.#checkOf(wide)
    return typeof check === 'function' && constants.every((each) => check(each) === undefined)
  }

  /** Whether all values keep each keyword of a schema. */
  #acceptsAll(wide: Subschema, values: Values, around: readonly Schema[]): boolean {
    const own = this.#partsOf([wide])
    const said = new Set(values.parts.map(textOf))
    const open = own.filter((part) => !said.has(textOf(part)))
    const all = [...around, ...own]
    const types = this.#typesOf(values.parts)
    const isKept = (part: Schema, keyword: string) =>
      !this.#isProvable(keyword) ||
      // A text is one of any type: bounds of its length hold for a number, too.
      !(this.#reading.isText || isAbout(keyword, types)) ||
      this.#proofs[keyword](part, values)
    const choices = open.flatMap((part) =>
      choiceNames.filter((name) => name in part).map((name) => [part, name] as const),
    )
    return (
      open.every((part) => Object.keys(part).every((keyword) => isKept(part, keyword))) &&
      choices.every(([part, name]) => this.#acceptsChoice(part, name, values, all)) &&
      (choices.length > 0 || !types.has('object') || this.#declares(all, values))
    )
  }

  /** Whether one of the alternatives of a schema accepts all values. In a request, no other one of `oneOf` may. */
  #acceptsChoice(part: Schema, name: ChoiceName, values: Values, around: readonly Schema[]): boolean {
    const branches = part[name] ?? []
    // A client that reads each of the alternatives reads what is in several.
    const isAny = name === 'anyOf' || this.#reading.direction === 'response'
    return branches.some(
      (branch, index) =>
        this.#accepts(branch, values, around) &&
        (isAny || branches.toSpliced(index, 1).every((other) => this.#excludes(values, other))),
    )
  }

  /** Whether the later schema declares each property that the earlier one declares or is open to: others are dropped. */
  #declares(wide: readonly Schema[], { parts }: Values): boolean {
    const texts = (each: readonly Schema[]) => new Set(each.map(textOf))
    const [kept, said] = [texts(wide), texts(parts)]
    const alike = wide.filter((part) => said.has(textOf(part)))
    const others = wide.filter((part) => !said.has(textOf(part)))
    const [isNarrowOpen, isWideOpen] = [isOpen(this.#inAll(parts)), isOpen([...others, ...this.#inAll(alike)])]
    return this.#reading.direction === 'request'
      ? (isWideOpen || !isNarrowOpen) &&
          namesOf(this.#inAll(parts.filter((part) => !kept.has(textOf(part))))).isSubsetOf(namesOf(wide))
      : (isNarrowOpen || !isWideOpen) && namesOf(others).isSubsetOf(namesOf(this.#inAll(parts)))
  }

  readonly #proofs: Readonly<Record<ProvableName, Proof>> = {
    type: ({ type = [] }, { parts }) => this.#typesOf(parts).isSubsetOf(typesOf({ type }, {})),
    enum: ({ enum: constants = [] }, { parts }) => this.#areAmong(constants, parts),
    const: (schema, { parts }) => this.#areAmong([schema.const], parts),
    format: ({ format }, { parts }) =>
      parts.some((part) => part.format === format) ||
      (isIntegerFormat(format) &&
        !this.#typesOf(parts).has('number') &&
        parts.some((part) => isFrom(part, integerRanges[format].minimum)) &&
        parts.some((part) => isTo(part, integerRanges[format].maximum))),
    minimum: ({ minimum = 0 }, { parts }) => parts.some((part) => isFrom(part, minimum)),
    maximum: ({ maximum = 0 }, { parts }) => parts.some((part) => isTo(part, maximum)),
    exclusiveMinimum: ({ exclusiveMinimum: bound = 0 }, { parts }) => parts.some((part) => isAbove(part, bound)),
    exclusiveMaximum: ({ exclusiveMaximum: bound = 0 }, { parts }) => parts.some((part) => isBelow(part, bound)),
    multipleOf: ({ multipleOf = 0 }, { parts }) => parts.some((part) => isMultiple(part.multipleOf, multipleOf)),
    minLength: ({ minLength = 0 }, { parts }) => minLength <= largest(parts, 'minLength'),
    maxLength: ({ maxLength = 0 }, { parts }) => maxLength >= smallest(parts, 'maxLength'),
    pattern: alike('pattern'),
    minItems: ({ minItems = 0 }, { parts }) => minItems <= largest(parts, 'minItems'),
    maxItems: ({ maxItems = 0 }, { parts }) => maxItems >= smallest(parts, 'maxItems'),
    uniqueItems: ({ uniqueItems }, { parts }) =>
      uniqueItems !== true || parts.some((part) => part.uniqueItems === true),
    minProperties: ({ minProperties = 0 }, { parts }) => minProperties <= largest(parts, 'minProperties'),
    maxProperties: ({ maxProperties = 0 }, { parts }) => maxProperties >= smallest(parts, 'maxProperties'),
    required: ({ required = [] }, { parts }) =>
      new Set(required).isSubsetOf(requiredOf({ allOf: parts }, this.#schemas)),
    dependentRequired: alike('dependentRequired'),

    items: (schema, values) =>
      schema.prefixItems === undefined
        ? this.#acceptsMember(
            schema.items ?? true,
            values.parts.flatMap(({ prefixItems, items = [] }) => (prefixItems === undefined ? items : [])),
          )
        : alike('prefixItems', 'items')(schema, values),
    prefixItems: alike('prefixItems'),
    contains: alike('contains', 'minContains', 'maxContains'),
    minContains: () => true,
    maxContains: () => true,
    properties: ({ properties = {} }, values) =>
      Object.entries(properties).every(([name, property]) => this.#acceptsProperty(name, property, values)),
    patternProperties: alike('patternProperties'),
    additionalProperties: (schema, values) => this.#acceptsOthers(schema, values),
    propertyNames: alike('propertyNames'),
    dependentSchemas: alike('dependentSchemas'),
    // They depend on what is beside them, so that only the whole part says the same.
    unevaluatedItems: () => false,
    unevaluatedProperties: () => false,

    not: ({ not = true }, values) => this.#excludes(values, not),
    if: alike('if', 'then', 'else'),
    then: () => true,
    else: () => true,
  }

  #isProvable(keyword: string): keyword is ProvableName {
    return Object.hasOwn(this.#proofs, keyword)
  }

  /** Whether all values are among constants. */
  #areAmong(constants: readonly unknown[], parts: readonly Schema[]): boolean {
    const allowed = new Set(constants.map(canonical))
    const types = this.#typesOf(parts)
    const isFew = types.isSubsetOf(new Set<JsonType>(['null', 'boolean']))
    const few = [...(types.has('null') ? [null] : []), ...(types.has('boolean') ? [true, false] : [])]
    const lists = [...constantsOf({ allOf: parts }, this.#schemas), ...(isFew ? [few] : [])]
    return lists.some((list) => list.every((each) => allowed.has(canonical(each))))
  }

  /** Whether a schema accepts what values have as a property, if they may have it. */
  #acceptsProperty(name: string, property: Subschema, values: Values): boolean {
    const given = membersOf(name, values.parts)
    return given.includes(false) || !this.#mayHave(name, values) || this.#acceptsMember(property, given)
  }

  /** Whether values may have a property: those that are not open have declared ones only. */
  #mayHave(name: string, { parts, loose }: Values): boolean {
    const all = this.#inAll(parts)
    return loose.includes(name) || namesOf(all).has(name) || isOpen(all)
  }

  /** Whether `additionalProperties` accepts the properties that values may have and a schema does not name. */
  #acceptsOthers(schema: Schema, values: Values): boolean {
    const { properties = {}, additionalProperties = true } = schema
    const isNamed = (name: string) => Object.hasOwn(properties, name)
    const isClosedAlike = (part: Schema) =>
      isAlike(['additionalProperties', 'patternProperties'], schema, part) && [...namesOf([part])].every(isNamed)
    if (additionalProperties === true || values.parts.some(isClosedAlike)) return true
    const others = [...namesOf(this.#inAll(values.parts)), ...values.loose].filter((name) => !isNamed(name))
    const given = membersOf(undefined, values.parts)
    return (
      others.every((name) => this.#acceptsProperty(name, additionalProperties, values)) &&
      (given.includes(false) || this.#acceptsMember(additionalProperties, given))
    )
  }

  /** Whether a schema accepts none of some values. */
  #excludes({ parts, loose }: Values, schema: Subschema): boolean {
    const both = [...parts, ...this.#partsOf([schema])]
    const open = isOpen(this.#inAll(parts)) ? [opened] : []
    return (
      this.#isEmpty(both) ||
      parts.some(({ not }) => not !== undefined && this.#accepts(not, { parts: [...both, ...open], loose }, []))
    )
  }

  /** Whether types or constants show that no value keeps all of some schemas. */
  #isEmpty(parts: readonly Schema[], depth = 0): boolean {
    if (this.#reading.isText) return false
    const types = this.#typesOf(parts)
    const [constants, ...others] = constantsOf({ allOf: parts }, this.#schemas).map((list) => list.map(canonical))
    const isNone = constants?.every((each) => others.some((list) => !list.includes(each))) === true
    if (isNone || types.size === 0) return true
    if (depth === deepest || !types.isSubsetOf(new Set<JsonType>(['object']))) return false
    const mark = this.#reading.direction === 'request' ? 'readOnly' : 'writeOnly'
    const required = [...requiredOf({ allOf: parts }, this.#schemas)].map((name) => membersOf(name, parts))
    return required.some(
      (each) => !isMarked({ allOf: each }, this.#schemas, mark) && this.#isEmpty(this.#partsOf(each), depth + 1),
    )
  }

  /** The ways to divide values: by the alternatives of a part, or by type. */
  #casesOf({ parts, loose }: Values): Values[][] {
    const types = this.#typesOf(parts)
    if (types.has('number')) types.delete('integer')
    const byType = [...types].map((type) => ({ parts: [...parts, { type }], loose }))
    const byChoice = choiceNames.flatMap((name) =>
      parts.flatMap((part) => (part[name] === undefined ? [] : [this.#byChoice(part, name, { parts, loose })])),
    )
    return byType.length > 1 ? [...byChoice, byType] : byChoice
  }

  /** The cases of values by the alternatives of a part. */
  #byChoice(part: Schema, name: ChoiceName, { parts, loose }: Values): Values[] {
    const { [name]: branches = [], unevaluatedProperties = false, unevaluatedItems: _items, ...rest } = part
    // What asks what is beside it says less without it, but objects stay open.
    const open = unevaluatedProperties === false ? [] : [opened]
    const kept = parts.filter((each) => each !== part)
    return branches.map((branch, index) => {
      const others = branches.toSpliced(index, 1)
      const names = namesOf(others.flatMap((each) => inPlace(each, this.#schemas)))
      const excluded = name === 'oneOf' ? others.map((not): Schema => ({ not })) : []
      return {
        parts: [...kept, ...this.#partsOf([rest, branch]), ...open, ...excluded],
        loose: [...names.union(new Set(loose))].sort(),
      }
    })
  }

  #inAll(parts: readonly Schema[]): Schema[] {
    return parts.flatMap((part) => inPlace(part, this.#schemas))
  }

  /** The schemas that hold together: those of `allOf`, and the targets of references. */
  #partsOf(schemas: readonly Subschema[]): Schema[] {
    const found = new Set<Subschema>(schemas)
    for (const schema of found) {
      if (typeof schema === 'boolean') continue
      const name = schemaNameOf(schema.$ref)
      for (const each of schema.allOf ?? []) found.add(each)
      if (name !== undefined) found.add(this.#schemas[name] ?? true)
    }
    return [...new Map([...found].map(ownOf).map((part) => [textOf(part), part])).values()]
  }

  #typesOf(parts: readonly Schema[]): Set<JsonType> {
    return new Set(typesOf({ allOf: parts }, this.#schemas))
  }

  /** Short names of schemas, for the keys of what is proven. */
  #idsOf(parts: readonly Schema[]): number[] {
    const ids = parts.map(textOf).map((text) => {
      const id = this.#ids.get(text) ?? this.#ids.size
      this.#ids.set(text, id)
      return id
    })
    return ids.sort((a, b) => a - b)
  }
}

/** The keywords that have a proof; alternatives have their own. */
type ProvableName = AssertionName | Exclude<ApplicatorName, 'allOf' | ChoiceName>

/** The types that keywords are about, where that is not any. */
const about = new Map<string, ReadonlySet<JsonType>>([
  ...typed(['number', 'integer'], keywordNames({ about: 'numbers' })),
  ...typed(['string'], keywordNames({ about: 'texts' })),
  ...typed(['number', 'integer', 'string'], keywordNames({ about: 'numbers and texts' })),
  ...typed(['array'], [...keywordNames({ about: 'lists' }), 'items', 'prefixItems', 'contains', 'unevaluatedItems']),
  ...typed(['object'], [...keywordNames({ about: 'objects' }), 'properties', 'patternProperties', 'propertyNames']),
  ...typed(['object'], ['additionalProperties', 'unevaluatedProperties', 'dependentSchemas']),
])

function typed(types: readonly JsonType[], names: readonly KeywordName[]) {
  return names.map((name) => [name, new Set(types)] as const)
}

function isAbout(keyword: string, types: ReadonlySet<JsonType>): boolean {
  return about.get(keyword)?.isDisjointFrom(types) !== true
}

const openers = ['additionalProperties', 'patternProperties', 'unevaluatedProperties'] as const

/** Whether objects may have properties that schemas do not declare. */
function isOpen(schemas: readonly Schema[]): boolean {
  const opens = (schema: Schema) => openers.some((keyword) => (schema[keyword] ?? false) !== false)
  return schemas.some(opens) || schemas.every(({ properties }) => properties === undefined)
}

/** Proves that all values keep some keywords, because one of their schemas says the same. */
function alike(...keywords: KeywordName[]): Proof {
  return (schema, { parts }) => parts.some((part) => isAlike(keywords, schema, part))
}

/** Whether two schemas say the same in some keywords. */
function isAlike(keywords: readonly string[], a: Schema, b: Schema): boolean {
  const said = ({ ...schema }: Schema) => Object.entries(schema).filter(([keyword]) => keywords.includes(keyword))
  return textOf(Object.fromEntries(said(a))) === textOf(Object.fromEntries(said(b)))
}

const anything: Schema = {}
const nothing: Schema = { not: anything }
const opened: Schema = { additionalProperties: true }
/** The same for the same schema, because its text is kept. */
const owns = new WeakMap<Schema, Schema>()

/** A schema without those that hold together with it, unless it asks what they say. */
function ownOf(schema: Subschema): Schema {
  if (typeof schema === 'boolean') return schema ? anything : nothing
  if (schema.unevaluatedItems !== undefined || schema.unevaluatedProperties !== undefined) return schema
  const { $ref: _target, allOf: _parts, ...rest } = schema
  const own = owns.get(schema) ?? rest
  owns.set(schema, own)
  return own
}

/** The properties that schemas declare by themselves. */
function namesOf(schemas: readonly Schema[]): Set<string> {
  return new Set(schemas.flatMap(({ properties = {} }) => Object.keys(properties)))
}

/** What schemas say of a property; without a name, of those that none of them names. */
function membersOf(name: string | undefined, parts: readonly Schema[]): Subschema[] {
  return parts.flatMap(({ properties = {}, patternProperties, additionalProperties = [] }) => {
    if (name !== undefined && Object.hasOwn(properties, name)) return properties[name] ?? []
    return patternProperties === undefined ? additionalProperties : []
  })
}

type Bound = number | bigint

/** Whether the numbers of a schema are a bound or above it. */
function isFrom(part: Schema, bound: Bound): boolean {
  const { format, minimum = -Infinity } = part
  return minimum >= bound || isAbove(part, bound) || (isIntegerFormat(format) && integerRanges[format].minimum >= bound)
}

function isAbove({ minimum = -Infinity, exclusiveMinimum = -Infinity }: Schema, bound: Bound): boolean {
  return minimum > bound || exclusiveMinimum >= bound
}

function isTo(part: Schema, bound: Bound): boolean {
  const { format, maximum = Infinity } = part
  return maximum <= bound || isBelow(part, bound) || (isIntegerFormat(format) && integerRanges[format].maximum <= bound)
}

function isBelow({ maximum = Infinity, exclusiveMaximum = Infinity }: Schema, bound: Bound): boolean {
  return maximum < bound || exclusiveMaximum <= bound
}

/** Whether a step is a multiple of another one; fractions only of themselves. */
function isMultiple(step: Bound | undefined, of: Bound): boolean {
  if (step === undefined) return false
  const isWhole = [step, of].every((each) => typeof each === 'bigint' || (Number.isSafeInteger(each) && each > 0))
  return step === of || (isWhole && BigInt(step) % BigInt(of) === 0n)
}

type Least = 'minLength' | 'minItems' | 'minProperties'
type Most = 'maxLength' | 'maxItems' | 'maxProperties'

function largest(parts: readonly Schema[], name: Least): number {
  return Math.max(0, ...parts.map((part) => part[name] ?? 0))
}

function smallest(parts: readonly Schema[], name: Most): number {
  return Math.min(...parts.map((part) => part[name] ?? Infinity))
}
