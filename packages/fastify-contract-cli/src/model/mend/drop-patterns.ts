import type { NamedSchemas, Schema } from 'fastify-contract/schema'
import { isSchema, patternProblem, subschemasOf, targetOf } from 'fastify-contract/schema'
import { type Draft, membersOf } from '../yaml/node.ts'
import { namedSchemas } from './context.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'

/** The schemas whose `oneOf` makes a schema exclusive, and undefined where another keyword does. */
type Sources = Set<Draft | undefined>

/**
 * Drops patterns that cannot be matched, with a warning. Where a value must not match the schema, or only this one of
 * several, it would then refuse valid values: each such `oneOf` is read as `anyOf`, and for any other keyword the contract
 * is refused.
 *
 * @param objects those of the contract
 * @returns what does so in one schema
 */
export function patternDropper(objects: readonly ContractObject[], { document, warn, reject }: Mending) {
  let exclusive: ReadonlyMap<object, Sources> | undefined
  const drop = (schema: Draft, key: string, problem: string | undefined, remove: () => string) => {
    if (problem === undefined) return
    exclusive ??= exclusiveSchemas(objects, namedSchemas(document))
    const sources = exclusive.get(schema)
    const at = { object: schema, key }
    if (sources !== undefined && !relax(sources)) {
      // What is not text is refused by its form.
      if (key !== 'pattern' || typeof schema[key] === 'string')
        reject(at, `${key}: ${problem}; without it, a schema of not would refuse valid values`)
      return
    }
    const relaxed = sources === undefined ? '' : ', and oneOf around it is read as anyOf'
    warn(at, `${key}: ${problem.replace('; ', `${relaxed}${remove()}; `)}`, `schema.${key}`)
  }
  return (schema: Draft): void => {
    const { pattern, patternProperties } = schema
    const problem = typeof pattern === 'string' ? patternProblem(pattern) : 'is not text; correct it'
    drop(schema, 'pattern', 'pattern' in schema ? problem : undefined, () => {
      Reflect.deleteProperty(schema, 'pattern')
      return ''
    })
    // Another schema may have the same map.
    const kept = { ...membersOf(patternProperties) }
    const unmatched = Object.keys(kept).flatMap((name) => {
      const problem = patternProblem(name)
      return problem === undefined ? [] : [{ name, problem }]
    })
    // Beside a pattern of names there is no place for another, or for `minLength`.
    const simpler = unmatched[0]?.problem.replace(/; [^;]*(?:allOf|minLength).*/, '; write a simpler pattern')
    drop(schema, 'patternProperties', simpler, () => {
      for (const { name } of unmatched) Reflect.deleteProperty(kept, name)
      // What they match would be undeclared.
      Object.assign(schema, { patternProperties: kept, additionalProperties: true })
      return ', and undeclared properties may have any value'
    })
  }
}

/** Reads each `oneOf` that makes a schema exclusive as `anyOf`. @returns whether that is all that does */
function relax(sources: Sources): boolean {
  const all = [...sources]
  if (!all.every((source) => source !== undefined && !('oneOf' in source && 'anyOf' in source))) return false
  for (const source of all) {
    if (source === undefined || !('oneOf' in source)) continue
    source['anyOf'] = source['oneOf']
    Reflect.deleteProperty(source, 'oneOf')
  }
  return true
}

/**
 * Lists the schemas that must not match, or not always, and all to which they lead. Each has the schemas whose `oneOf` makes
 * it one, and undefined where another keyword does.
 */
function exclusiveSchemas(objects: readonly ContractObject[], schemas: NamedSchemas): Map<Schema, Sources> {
  const found = new Map<Schema, Sources>()
  const add = (members: unknown[], source: Draft | undefined) => {
    const open = [...members]
    for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
      if (!isSchema(next)) continue
      const sources = found.get(next) ?? new Set()
      if (sources.has(source)) continue
      found.set(next, sources.add(source))
      open.push(targetOf(next, schemas), ...subschemasOf(next).map(({ schema }) => schema))
    }
  }
  for (const { object } of objects.filter(({ kind }) => kind === 'schema')) {
    for (const { schema, keyword, isTest } of subschemasOf(object))
      if (isTest) add([schema], keyword === 'oneOf' ? object : undefined)
  }
  return found
}
