import { escapeName, isObject, namesOf } from 'fastify-contract/json'
import type { Kind } from '../rules/keyword.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'
import { accessProblem } from '../rules/access.ts'
import { sections } from '../table/components.ts'
import { articleAndName } from './shape.ts'
import { keywordOf, keywords } from '../table/table.ts'
import type { Draft } from '../yaml/node.ts'

/** Removes what OpenAPI ignores beside a reference, and refuses what is about access. */
export function removeBesideReference({ object, kind }: ContractObject, { warn, reject }: Mending): void {
  if (kind === 'schema' || kind === 'link' || typeof object['$ref'] !== 'string' || !keywordOf(kind, '$ref')) return
  for (const name of Object.keys(object)) {
    if (/^(?:\$ref|summary|description|x-.*)$/.test(name)) continue
    const text = `OpenAPI ignores ${name} beside $ref; write out the object, or remove the member`
    Reflect.deleteProperty(object, name)
    const isAboutAccess = accessProblem(name, Object.keys(keywords[kind])) !== undefined
    ;(isAboutAccess ? reject : warn)({ object, key: name }, text)
  }
}

/**
 * Makes references lead to components: the target of one that does not is added to them.
 *
 * @param objects those of the contract that are known
 * @param hoisted the names of targets that were added before; gets those that are added now
 * @returns the targets
 */
export function hoistTargets(
  objects: readonly ContractObject[],
  hoisted: Map<unknown, string>,
  { document, references, reading, warn }: Mending,
): ContractObject[] {
  const kinds = new Map<unknown, Kind>(objects.map(({ object, kind }) => [object, kind]))
  return objects.flatMap(({ object, kind }): ContractObject[] => {
    const section = sections.get(kind)
    if (section === undefined || !isStray(object, section)) return []
    const reference = String(object['$ref'])
    const target = references.follow(object).problem === undefined ? references.targetOf(reference) : undefined
    if (!isObject(target) && typeof target !== 'boolean') return []
    // What OpenAPI does not describe, such as an extension, may be of any kind; but not a map, such as `paths`.
    const isMap = isObject(target) && Object.values(target).some((member) => kinds.has(member))
    const isOfKind = isMap ? kinds.get(target) === kind : (kinds.get(target) ?? kind) === kind
    if (!isOfKind) return []
    // `true` and `false` are equal everywhere.
    const key = isObject(target) ? target : reference
    const existing = hoisted.get(key)
    const name = existing ?? hoist(document, section, reference, target)
    hoisted.set(key, name)
    const problem = reference.startsWith('#/components/')
      ? `points inside a component; make it ${articleAndName(kind)} of its own`
      : 'is not a component; move it to components'
    if (!reading.anchored.has(reference)) warn({ object, key: '$ref' }, `$ref: ${reference} ${problem}`, '$ref')
    object['$ref'] = `#/components/${section}/${encodeURIComponent(escapeName(name))}`
    if (existing !== undefined || !isObject(target)) return []
    return [{ object: target, kind, name, role: 'named', isValue: false, within: section }]
  })
}

/** Whether a reference leads to a part of the document that is not a component of a section. */
export function isStray({ $ref: reference }: Draft, section: string): boolean {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return false
  const start = `#/components/${section}/`
  return !reference.startsWith(start) || reference.slice(start.length).includes('/')
}

/** Adds an object to the components. @returns its name there */
function hoist(document: Draft, section: string, reference: string, target: unknown): string {
  const components = memberOf(document, 'components')
  const named = memberOf(components, section)
  const wanted = namesOf(reference)
    .filter((each, index) => index > 1 || (each !== 'components' && each !== section))
    .join('.')
    .replaceAll(/[^\w.-]+/g, '_')
  let name = wanted
  for (let number = 2; Object.hasOwn(named, name); number++) name = `${wanted}_${String(number)}`
  named[name] = target
  return name
}

function memberOf(object: Draft, name: string): Draft {
  const existing = object[name]
  if (isObject(existing)) return existing
  const created: Draft = {}
  object[name] = created
  return created
}
