import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { lookUp } from '../../json/pointer.ts'
import { isSchema } from '../../schema/schema-parts.ts'
import type { Kind } from '../keywords/keyword.ts'
import { heldBy } from '../keywords/objects.ts'
import { keywords } from '../keywords/openapi-keywords.ts'
import { BrokenContract, type Finding } from './findings.ts'
import { RefusedFile, readBelow } from './read-file.ts'
import { Places, readYaml } from './read-yaml.ts'

type Members = Record<string, unknown>

/** An object that is still to be walked: where it is held, its file, and what of other files is around it. */
interface Pending {
  holder: Members
  name: string
  kind: Kind
  home: string
  within: readonly unknown[]
}

/** What a reference leads to. */
interface Target {
  path: string
  pointer: string
  value: unknown
}

/**
 * Reads a contract and the files that it refers to, and makes one document of them: what is in another file becomes a
 * component, and a path item takes the place of its reference.
 */
export class Bundle {
  readonly document: Members
  readonly places = new Places()
  /** The content of the other files, by their paths from the folder of the contract. */
  readonly referred = new Map<string, Uint8Array>()
  /** The references to other files that are left, and why. */
  readonly findings: Finding[] = []
  readonly #root: string
  readonly #name: string
  readonly #parsed = new Map<string, Members>()
  /** Why files are not read, by their paths. */
  readonly #reasons = new Map<string, string>()
  readonly #unreadable: string[] = []
  /** The references to components that stand for objects of other files, by file and pointer. */
  readonly #components = new Map<string, string>()
  readonly #pending: Pending[] = []

  /**
   * @param source the contract
   * @param file its path; the others are found from there
   * @param name what messages call it; the others are named from there
   * @throws BrokenContract where it is no YAML
   */
  constructor(source: Uint8Array, file: string, name: string) {
    this.#root = resolve(file)
    this.#name = name
    this.document = readYaml(source, name, this.places)
    this.#parsed.set(this.#root, this.document)
  }

  /** Reads the other files. @throws BrokenContract where one of them is no YAML */
  followReferences(): void {
    const met = new Set<unknown>()
    this.#pending.push({ holder: { '': this.document }, name: '', kind: 'document', home: this.#root, within: [] })
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) {
      const { holder, name, kind } = next
      const around = sections[kind] === undefined ? this.#inline(next) : next
      const object = holder[name]
      if (!isSchema(object) || met.has(object)) continue
      met.add(object)
      if (sections[kind] !== undefined) this.#rewrite(object, '$ref', kind, around.home)
      if (kind === 'discriminator') this.#rewriteMapping(object, around.home)
      // Others refer to the components, which may be in another file.
      const keywordsInOrder = Object.keys(object).sort(
        (a, b) => Number(b === 'components') - Number(a === 'components'),
      )
      const inside = keywordsInOrder.flatMap((keyword): Pending[] => {
        const written = heldBy(object, kind, keyword)
        const isMap = written !== undefined && written.holder !== object
        const { home, within } = isMap ? this.#inline({ ...around, holder: object, name: keyword }) : around
        const held = heldBy(object, kind, keyword)
        return (held?.names ?? []).map((each) => ({ holder: held!.holder, name: each, kind: held!.kind, home, within }))
      })
      this.#pending.push(...inside.reverse())
    }
    if (this.#unreadable.length > 0) throw new BrokenContract(this.#unreadable)
  }

  /** Puts what is in another file, and cannot be a component, in the place of the reference to it. */
  #inline({ holder, name, home, within }: Omit<Pending, 'kind'>): { home: string; within: readonly unknown[] } {
    const around = [...within]
    let file = home
    for (let item = holder[name]; isSchema(item) && typeof item['$ref'] === 'string'; item = holder[name]) {
      const target = this.#follow(item, '$ref', file)
      // A reference within the contract is refused where the keywords are checked.
      if (target === undefined || target.path === this.#root) break
      if (around.includes(target.value)) {
        const text = 'the reference leads back to itself, or to what it is in; write it out'
        this.findings.push({ at: { object: item, key: '$ref' }, text })
        break
      }
      const ignored = Object.keys(item).find((member) => member !== '$ref')
      if (ignored !== undefined) {
        const text = `$ref: OpenAPI leaves open what ${ignored} means beside it; move it into the other file`
        this.findings.push({ at: { object: item, key: ignored }, text })
      }
      set(holder, name, target.value)
      around.push(target.value)
      file = target.path
    }
    return { home: file, within: around }
  }

  /** Turns a reference to another file into one to a component. */
  #rewrite(object: Members, key: string, kind: Kind, home: string): void {
    const reference = object[key]
    if (typeof reference !== 'string' || (home === this.#root && reference.startsWith('#'))) return
    const target = this.#follow(object, key, home)
    if (target === undefined) return
    set(object, key, target.path === this.#root ? `#${target.pointer}` : this.#componentOf(target, kind, reference))
  }

  /** The reference to the component that stands for a target; the one that is given where no component can. */
  #componentOf({ path, pointer, value }: Target, kind: Kind, reference: string): string {
    const known = this.#components.get(`${path}#${pointer}`)
    if (known !== undefined) return known
    const section = sections[kind]
    const components = membersOf(this.document, 'components')
    const members = section === undefined || components === undefined ? undefined : membersOf(components, section)
    if (section === undefined || members === undefined) return reference
    const wanted = (pointer.split('/').at(-1) || basename(path, extname(path))).replaceAll(/[^\w.-]/g, '_')
    let name = wanted
    for (let number = 2; Object.hasOwn(members, name); number++) name = `${wanted}_${String(number)}`
    set(members, name, value)
    this.#pending.push({ holder: members, name, kind, home: path, within: [] })
    const local = `#/components/${section}/${name}`
    this.#components.set(`${path}#${pointer}`, local)
    return local
  }

  /** A mapping has references, and names of schemas, which are refused elsewhere. */
  #rewriteMapping({ mapping }: Members, home: string): void {
    if (!isSchema(mapping)) return
    for (const [kind, reference] of Object.entries(mapping)) {
      if (String(reference).includes('/') || String(reference).includes('.'))
        this.#rewrite(mapping, kind, 'schema', home)
    }
  }

  /** @returns undefined where it leads to nothing, which is noted */
  #follow(object: Members, key: string, home: string): Target | undefined {
    const reference = String(object[key])
    const [uri = '', pointer = ''] = reference.split('#', 2)
    const path = uri === '' ? home : resolve(dirname(home), uri)
    const isInNetwork = /^[a-z]+:\/\//i.test(uri)
    let value: unknown
    let reason = isInNetwork ? 'is not read over the network; keep a copy' : 'leads to nothing'
    try {
      const document = isInNetwork ? undefined : this.#read(path)
      value = pointer === '' ? document : lookUp(document, `#${pointer}`)
      reason = this.#reasons.get(path) ?? reason
    } catch (error) {
      reason = `${error instanceof Error ? error.message : String(error)}; write % as %25`
    }
    if (value !== undefined) return { path, pointer, value }
    const text = reason.startsWith('the ') ? reason : `the reference ${reference} ${reason}`
    this.findings.push({ at: { object, key }, text })
    return undefined
  }

  /** Reads another file once. @returns undefined where it cannot be read */
  #read(path: string): Members | undefined {
    const folder = dirname(this.#root)
    const name = relative(folder, path)
    if (this.#parsed.has(path) || this.#reasons.has(path)) return this.#parsed.get(path)
    try {
      const source = readBelow(folder, path)
      this.referred.set(name, source)
      const document = readYaml(source, join(dirname(this.#name), name), this.places)
      this.#parsed.set(path, document)
      return document
    } catch (error) {
      this.#reasons.set(path, error instanceof RefusedFile ? error.message : 'leads to nothing')
      if (error instanceof BrokenContract) this.#unreadable.push(...error.lines)
      return undefined
    }
  }
}

/** The sections of components, by the kind of their objects. */
const sections: Partial<Record<Kind, string>> = Object.fromEntries(
  Object.entries(keywords.components).flatMap(([section, { holds }]) =>
    typeof holds === 'object' && 'each' in holds ? [[holds.each, section]] : [],
  ),
)

/** A map of an object, which is made where there is none; undefined where something else is there. */
function membersOf(object: Members, name: string): Members | undefined {
  if (object[name] === undefined) set(object, name, {})
  const members = object[name]
  return isSchema(members) ? members : undefined
}

/** Also where the name is `__proto__`. */
function set(holder: Members, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true })
}
