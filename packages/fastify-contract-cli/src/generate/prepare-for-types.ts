import { type ContractDocument, isJson, kindOf, maps } from 'fastify-contract/document'
import { find, isObject, isOfBigInts, mapMembers, stringifyJson } from 'fastify-contract/json'
import {
  type Schema,
  choiceNames,
  defaultOf,
  isData,
  isMarked,
  propertiesOf,
  requiredBy,
  requiredOf,
  targetOf,
} from 'fastify-contract/schema'
import { isNever } from '../model/check/bounds.ts'
import { splitMethods } from '../model/mend/split-methods.ts'
import { methodSeparator, wholeQuery } from './join-methods.ts'
import { nameAlternatives } from './name-alternatives.ts'

/** The marker types of properties with these keywords. `types/message-types.ts` interprets them. */
export type Mark = (typeof markOf)[Marked]

type Marked = keyof typeof markOf

const markOf = { default: '$Default', readOnly: '$Read', writeOnly: '$Write' } as const

/** The members that openapi-typescript writes to the comment of a property. */
const commented: readonly string[] = ['default', 'deprecated', 'description', 'example', 'summary', 'title']

function commentsOf(schema: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => commented.includes(name)))
}

/** Disables `@ts-expect-error` and `@ts-ignore`, which the compiler obeys in comments. */
function withoutDirectives(text: string): string {
  return text.replaceAll('@ts-', '@\u200bts-')
}

/** The key of a note. A symbol, because a contract may have any name. */
export const note = Symbol('note')

/** An instruction that openapi-typescript does not know. */
export interface Note {
  /** The marks of a property or a parameter; `AsyncIterable` for the items of a stream. */
  marks: (Mark | 'AsyncIterable')[]
  /** The names of properties that the schema has, although some part of it leaves them out. */
  required?: readonly string[]
  /** The schema that is marked, or any object. */
  content: Record<string, unknown> | 'object'
}

/** What types are made for: handlers, or any code in the form of openapi-typescript. */
export type TypesForm = 'handlers' | 'plain'

/**
 * Prepares a contract for openapi-typescript, with notes for what it does not know. Integers beyond a double become text,
 * because types have them only in comments.
 *
 * @param document a checked contract
 * @param form the plain one has no marks, and integers are numbers
 * @param unsatisfiable the schemas that nothing satisfies, but for those whose lists are empty
 * @returns the changed copy, and the marks in it
 */
export function prepareForTypes(
  document: ContractDocument,
  form: TypesForm,
  unsatisfiable: ReadonlySet<object> = new Set(),
): { source: unknown; marks: Set<Mark> } {
  const marks = new Set<Mark>()
  const open = new Set<string>()
  // YAML reads 3.0 without quotes as 3.
  const is30 = /^3(?:\.0|$)/.test(document.openapi)

  function copy(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(copy)
    if (!isObject(node)) return withoutBigInts(node)
    const required = (is30 && '$ref' in node) || isNothing(node) ? [] : looseNames(node, document)
    const isOpen = required.length > 0 && isBareObject(node)
    const content = copyNode(isOpen ? { ...node, additionalProperties: true } : node)
    return required.length === 0 || !isObject(content)
      ? content
      : { ...commentsOf(node), ...noted([], content, required) }
  }

  /** Whether no value is of a schema, as far as the schema itself or its parts say so. */
  function isNothing(schema: unknown): boolean {
    if (!isObject(schema)) return schema === false
    const { allOf, enum: listed } = schema
    return (
      unsatisfiable.has(schema) ||
      isNever(schema) ||
      // openapi-typescript takes an empty list as no word at all.
      (Array.isArray(listed) && listed.length === 0) ||
      choiceNames.some((name) => Array.isArray(schema[name]) && schema[name].every(isNothing)) ||
      (Array.isArray(allOf) && allOf.some(isNothing))
    )
  }

  function copyAlternative(alternative: unknown): unknown {
    return isObject(alternative) ? copy(alternative) : {}
  }

  /** Copies the schema of properties that are not named. */
  function copyOthers(others: unknown): unknown {
    return isNothing(others) ? false : copy(others)
  }

  /** Copies a part of a schema, which has what it requires. */
  function copyPart(part: unknown): unknown {
    if (!isObject(part)) return {}
    return isBareObject(part) ? noted([], 'object') : copyNode(part)
  }

  function copyNode(node: Record<string, unknown>): unknown {
    // openapi-typescript takes `nullable` from no reference.
    if (is30 && node['nullable'] === true && '$ref' in node)
      return copy({ ...commentsOf(node), nullable: true, anyOf: [{ $ref: node['$ref'] }] })
    if (isNothing(node)) return { ...commentsOf(node), type: [] }
    const apart = is30 && '$ref' in node ? undefined : takenApart(node)
    if (apart !== undefined) return copy(apart)
    if (isStray(node['$ref'])) return copyTarget(node['$ref'])
    const object = Object.fromEntries(
      Object.entries(withoutLiterals(node, form)).map(([name, member]) => {
        // What refers to them has a copy. openapi-typescript takes `$defs` as a property.
        if (name === 'mediaTypes' || name === '$defs') return [name, undefined]
        if (name === 'required' || isData(name)) return [name, withoutBigInts(member)]
        if (typeof member === 'string' && commented.includes(name)) return [name, withoutDirectives(member)]
        // What only documents the contract is not checked.
        if (/^(?:description|summary|title)$/.test(name)) return [name, undefined]
        // openapi-typescript takes every alternative as an object; true is one.
        if (name === 'allOf' && Array.isArray(member)) return [name, member.map(copyPart)]
        if (choiceNames.some((each) => each === name) && Array.isArray(member))
          return [name, member.filter((each) => !isNothing(each)).map(copyAlternative)]
        if (/^(?:additional|unevaluated)Properties$/.test(name)) return [name, copyOthers(member)]
        if (name === 'patternProperties') return [name, mapMembers(member, copyOthers)]
        if (!maps.includes(name) || !isObject(member)) return [name, copy(member)]
        if (/^(?:paths|webhooks|pathItems)$/.test(name))
          return [name, mapMembers(splitMethods(member, methodSeparator), copy)]
        return [name, mapMembers(member, name === 'headers' ? copyHeader : copy)]
      }),
    )
    const { in: place, properties, schema, content } = object
    // openapi-typescript takes a parameter with `content` as a string.
    if (typeof place === 'string' && isObject(content)) {
      const isWhole = place === 'querystring'
      const structured = Object.keys(content).find((type) => isJson(type) || (isWhole && kindOf(type) === 'form'))
      const [of, written] = [content, node['content']].map((each) => memberOf(memberOf(each, structured), 'schema'))
      const read = structured === undefined ? { type: 'string' } : mark(of ?? {}, written, ['default'])
      return { ...object, ...(isWhole ? { in: 'query', name: wholeQuery } : {}), content: undefined, schema: read }
    }
    if (typeof place === 'string' && isObject(schema)) {
      return { ...object, schema: mark(schema, node['schema'], ['default']) }
    }
    const { itemSchema } = object
    if (isObject(itemSchema)) return { schema: noted(['AsyncIterable'], itemSchema) }
    const conditional = conditionalNames(node, document).map((name) => [name, {}] as const)
    const written = node['properties']
    const marked = Object.entries(isObject(properties) && isObject(written) ? properties : {}).map(
      ([name, property]) =>
        [name, mark(property, memberOf(written, name), ['default', 'readOnly', 'writeOnly'])] as const,
    )
    return withIndex(object, Object.fromEntries([...conditional, ...marked]))
  }

  /** Copies what a reference leads to, because openapi-typescript gives a name to components alone. */
  function copyTarget(reference: string): unknown {
    // Such a target has no name by which it could contain itself.
    if (open.has(reference)) return {}
    open.add(reference)
    const target = copy(find(document, reference))
    open.delete(reference)
    return target
  }

  /** Copies the target of a reference to an optional header: openapi-typescript takes referenced headers as required. */
  function copyHeader(header: unknown): unknown {
    if (!isObject(header) || typeof header['$ref'] !== 'string') return copy(header)
    const target = copyHeader(find(document, header['$ref']))
    const isOptional = isObject(target) && target['$ref'] === undefined && target['required'] !== true
    return isOptional ? { schema: target['schema'] } : header
  }

  /** @param written the schema of the contract */
  function mark(schema: unknown, written: unknown, asked: readonly Marked[]): unknown {
    if (form === 'plain' || !isObject(written)) return schema
    const borne = asked.filter((keyword) => carries(document, written, keyword)).map((keyword) => markOf[keyword])
    if (borne.length === 0 || !isObject(schema)) return schema
    for (const each of borne) marks.add(each)
    return { ...commentsOf(schema), ...noted(borne, schema) }
  }

  const changed =
    form === 'handlers' ? withUnnamedWebhooks(document) : { components: {}, ...nameAlternatives(document) }
  return { source: copy(changed), marks }
}

/** With a type, openapi-typescript calls `transform`. */
function noted(
  marks: Note['marks'],
  content: Note['content'],
  required: readonly string[] = [],
): { type: 'object'; [note]: Note } {
  return { type: 'object', [note]: { marks, required, content } }
}

function memberOf(object: unknown, name = ''): unknown {
  return isObject(object) ? object[name] : undefined
}

/** A server receives no webhooks, and openapi-typescript lists what has an operationId among the operations. */
function withUnnamedWebhooks(document: ContractDocument): object {
  if (document.webhooks === undefined) return document
  const unnamed = (operation: unknown) => (isObject(operation) ? { ...operation, operationId: undefined } : operation)
  return { ...document, webhooks: mapMembers(document.webhooks, (item) => mapMembers(item, unnamed)) }
}

/** Whether a reference leads to a part of the contract that is no component for openapi-typescript. */
function isStray(reference: unknown): reference is string {
  return typeof reference === 'string' && !/^#\/components\/(?!mediaTypes\/)[^/]+\/[^/]+$/.test(reference)
}

/** Whether a schema has a keyword, also through schemas for the same value. Defaults of alternatives are not applied. */
function carries({ components }: ContractDocument, schema: Schema, keyword: Marked): boolean {
  const schemas = components?.schemas ?? {}
  return keyword === 'default' ? defaultOf(schema, schemas) !== undefined : isMarked(schema, schemas, keyword)
}

/** The keywords that give a schema a type of its own. */
const shaping = ['properties', 'additionalProperties', 'patternProperties', 'allOf', 'if', 'dependentSchemas']

/** Those that give it one or limit it to values. */
const forming = [...shaping, '$ref', 'anyOf', 'oneOf', 'enum', 'const', 'unevaluatedProperties']

/**
 * Moves a reference or alternatives into `allOf`, where other keywords stand beside them: openapi-typescript would leave out
 * the others, or take them as a further alternative. Returns undefined where nothing is to move.
 */
function takenApart(schema: Record<string, unknown>): Record<string, unknown> | undefined {
  const { $ref: reference, anyOf, oneOf, ...others } = schema
  const { allOf, required, type = 'object' } = others
  const isShaped = shaping.some((keyword) => keyword in others)
  const moved: Record<string, unknown>[] = []
  const rest = { ...schema }
  const move = (keyword: string): void => {
    moved.push({ [keyword]: schema[keyword] })
    Reflect.deleteProperty(rest, keyword)
  }
  // A parameter has `required: true`.
  const isConstrained = isShaped || Array.isArray(required) || Array.isArray(anyOf) || Array.isArray(oneOf)
  if (typeof reference === 'string' && isConstrained) move('$ref')
  if (Array.isArray(anyOf) && (isShaped || type !== 'object' || moved.length > 0 || Array.isArray(oneOf))) move('anyOf')
  if (Array.isArray(oneOf) && type !== 'object') move('oneOf')
  return moved.length === 0 ? undefined : { ...rest, allOf: [allOf ?? [], moved].flat() }
}

/**
 * The names that a schema requires, and that openapi-typescript leaves out or takes as optional: what requires a name need
 * not be the part that declares it.
 */
function looseNames(schema: Schema, { components }: ContractDocument): string[] {
  // What a reference leads to has the names that it requires.
  if (requiredBy(schema).length === 0 && !('allOf' in schema)) return []
  const schemas = components?.schemas ?? {}
  function isFirm(part: unknown, name: string, isAsked = false): boolean {
    if (!isObject(part)) return false
    const asked = isAsked || requiredBy(part).includes(name)
    const target = targetOf(part, schemas)
    return (
      (asked && isObject(part['properties']) && Object.hasOwn(part['properties'], name)) ||
      (requiredOf(target, schemas).has(name) && propertiesOf(target, schemas).has(name)) ||
      [part['allOf'] ?? []].flat().some((each) => isFirm(each, name, asked))
    )
  }
  return [...requiredOf(schema, schemas)].filter((name) => !isFirm(schema, name))
}

/** Whether a schema only says that a value is an object. openapi-typescript takes it as one without properties. */
function isBareObject(schema: Schema): boolean {
  return schema['type'] === 'object' && !forming.some((keyword) => keyword in schema)
}

/** The names of properties that a condition declares, and whose type depends on it. openapi-typescript leaves them out. */
function conditionalNames(schema: Schema, { components }: ContractDocument): string[] {
  const { if: condition, then, else: otherwise, dependentSchemas = {} } = schema
  const branches = [condition, then, otherwise, ...(isObject(dependentSchemas) ? Object.values(dependentSchemas) : [])]
  return branches.flatMap((branch) => [...propertiesOf(branch, components?.schemas ?? {}).keys()])
}

/**
 * Combines the properties of a schema with the schemas of others. In TypeScript an index must also fit the named
 * properties, and those that another schema of the same value declares.
 */
function withIndex(schema: Record<string, unknown>, properties: Record<string, unknown>): unknown {
  const { additionalProperties, patternProperties, unevaluatedProperties = false, ...rest } = schema
  const named = Object.values(properties)
  if (named.length > 0) rest['properties'] = properties
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : []
  const others = additionalProperties ?? (patterns.length > 0 || unevaluatedProperties !== false)
  const parts = [others, ...patterns].filter((part) => part !== false)
  if (parts.length === 0) return additionalProperties === undefined ? rest : { ...rest, additionalProperties }
  const distinct = new Map([...parts, ...named].map((part) => [stringifyJson(part), part]))
  const index = distinct.has('true') ? true : distinct.size === 1 ? parts[0] : { anyOf: [...distinct.values()] }
  return { ...rest, additionalProperties: index }
}

/** Replaces `const: null` by a type, and drops constants that openapi-typescript takes as something else. */
function withoutLiterals(schema: Record<string, unknown>, form: TypesForm): Record<string, unknown> {
  const { enum: listed, const: only, ...others } = schema
  if (only === null) return { ...others, type: 'null' }
  if ((listed ?? only) === undefined) return schema
  const isBigInt = isOfBigInts(schema['format']) && [schema['type']].flat().includes('integer')
  const isRounded = [listed, only].flat().some((value) => typeof value === 'bigint')
  const isObject = schema['type'] === 'object' || 'properties' in schema || 'additionalProperties' in schema
  // It takes the values of an enum of objects as schemas.
  return isRounded || (isObject && listed !== undefined) || (isBigInt && form === 'handlers') ? others : schema
}

/** Converts bigints to text, which keeps their digits. */
function withoutBigInts(node: unknown): unknown {
  return typeof node === 'bigint' ? String(node) : mapMembers(node, withoutBigInts)
}
