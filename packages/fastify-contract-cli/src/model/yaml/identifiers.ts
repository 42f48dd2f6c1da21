import { maps } from 'fastify-contract/document'
import { escapeName, isObject, lookUp } from 'fastify-contract/json'
import { isData } from 'fastify-contract/schema'
import type { Reading } from './read-json.ts'
import type { Draft } from './node.ts'

/** The base of a document without `$self`. It is never shown. */
const noBase = 'https://contract.invalid/'

/** A schema with an identifier, or the document: its references begin here. */
interface Resource {
  root: object
  /** A JSON Pointer, without `#`. */
  pointer: string
  /** The pointers of its anchors. */
  anchors: Map<string, string>
}

/**
 * Turns the references to schemas with `$id` or `$anchor` into JSON Pointers of the document (JSON Schema 2020-12, core,
 * section 8.2). Node whose names begin with `x-` are data.
 *
 * @param reading gets the references as they are then
 */
export function resolveIdentifiers({ document, references, anchored, hasIdentifiers }: Reading): void {
  if (!hasIdentifiers) return
  const resources = new Map<string, Resource>()
  const holders: { holder: Draft; reference: string; base: string }[] = []
  const referring: { holder: Draft; base: string }[] = []
  /** How many dynamic anchors have a name. */
  const dynamic = new Map<string, number>()
  const root: Resource = { root: document, pointer: '', anchors: new Map() }
  const { $self: self } = document
  const own = typeof self === 'string' && URL.canParse(self, noBase) ? withoutFragment(new URL(self, noBase)) : noBase
  resources.set(own, root)

  function walk(node: unknown, pointer: string, base: string, resource: Resource, isMap = false): void {
    if (typeof node !== 'object' || node === null) return
    if (!isObject(node)) {
      for (const [name, member] of Object.entries(node)) walk(member, `${pointer}/${name}`, base, resource)
      return
    }
    const { $id: id, $ref: reference } = node
    if (typeof id === 'string' && URL.canParse(id, base)) {
      base = withoutFragment(new URL(id, base))
      resource = { root: node, pointer, anchors: new Map() }
      resources.set(base, resource)
    }
    for (const name of ['$anchor', '$dynamicAnchor']) {
      const anchor = node[name]
      if (typeof anchor !== 'string') continue
      resource.anchors.set(anchor, pointer)
      if (name === '$dynamicAnchor') dynamic.set(anchor, (dynamic.get(anchor) ?? 0) + 1)
    }
    if (typeof node['$dynamicRef'] === 'string' && reference === undefined) referring.push({ holder: node, base })
    if (typeof reference === 'string') holders.push({ holder: node, reference, base })
    for (const { name, member, isMap: isInner } of partsOf(node, isMap))
      walk(member, `${pointer}/${escapeName(name)}`, base, resource, isInner)
  }
  walk(document, '', own, root)

  // With one anchor of its name, a dynamic reference leads where any other does.
  for (const { holder, base } of referring) {
    const { $dynamicRef: reference } = holder
    const name = String(reference).replace(/^[^#]*#/, '')
    if ((dynamic.get(name) ?? 0) > 1) continue
    Reflect.deleteProperty(holder, '$dynamicRef')
    holders.push({ holder, reference: String(reference), base })
  }
  for (const { holder, reference, base } of holders) {
    const pointer = URL.canParse(reference, base) ? pointerOf(new URL(reference, base), resources) : undefined
    const resolved = pointer === undefined ? reference : `#${pointer}`
    if (resolved !== holder['$ref']) {
      holder['$ref'] = resolved
      anchored.add(resolved)
      references.delete(reference)
    }
    references.set(resolved, holder)
  }
}

/** The pointer of the schema to which a URI leads; undefined if it is in none of the resources. */
function pointerOf(uri: URL, resources: ReadonlyMap<string, Resource>): string | undefined {
  const resource = resources.get(withoutFragment(uri))
  if (resource === undefined) return undefined
  const fragment = uri.hash
  const start = resource.pointer.split('/').map(encodeURIComponent).join('/')
  if (fragment === '' || fragment === '#') return start
  if (fragment.startsWith('#/'))
    return lookUp(resource.root, fragment) === undefined ? undefined : start + fragment.slice(1)
  return resource.anchors
    .get(decodeURIComponent(fragment.slice(1)))
    ?.split('/')
    .map(encodeURIComponent)
    .join('/')
}

/** The JSON Pointer of the schema that has an anchor, in a document without base URIs of its own. */
export function pointerOfAnchor(node: unknown, anchor: string, pointer = '', isMap = false): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined
  if (isObject(node) && [node['$anchor'], node['$dynamicAnchor']].includes(anchor)) return pointer
  for (const { name, member, isMap: isInner } of partsOf(node, isMap)) {
    const found = pointerOfAnchor(member, anchor, `${pointer}/${encodeURIComponent(escapeName(name))}`, isInner)
    if (found !== undefined) return found
  }
  return undefined
}

/** The members that may have schemas. @param isMap whether their names are no keywords */
function partsOf(node: object, isMap: boolean) {
  const members = Object.entries(node).filter(([name]) => isMap || !isData(name))
  return members.map(([name, member]: [string, unknown]) => ({ name, member, isMap: !isMap && maps.includes(name) }))
}

function withoutFragment(uri: URL): string {
  return uri.href.slice(0, uri.href.length - uri.hash.length).replace(/#$/, '')
}
