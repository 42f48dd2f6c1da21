import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { BaseResolver, type Document as RedoclyDocument, ResolveError } from '@redocly/openapi-core'
import { Source, bundle, createConfig, unescapePointerFragment } from '@redocly/openapi-core'
import { escapeName, isObject, lookUp } from 'fastify-contract/json'
import { BrokenContract, type Finding } from './findings.ts'
import { targetIn } from './follow.ts'
import { pointerOfAnchor, resolveIdentifiers } from './identifiers.ts'
import { RejectedFile, fileOf, isOnNetwork, outsideRoot, readBelow } from './read-file.ts'
import { type Draft, placeOf } from './node.ts'
import { inLines } from './report.ts'
import type { Reading } from './read-json.ts'
import { readYaml } from './read-yaml.ts'

/** What bundling found. */
export interface Bundled {
  /** The content of referenced files, by their paths relative to the contract's folder. */
  referred: Map<string, Uint8Array>
  /** The references to other files that could not be resolved. */
  findings: Finding[]
}

/**
 * Bundles references to other files into a document, by Redocly.
 *
 * @param reading the contract; gets what is found in the other files
 * @param file the path of the contract; other files are relative to it
 * @param name its name in messages; other files are named relative to it
 * @param folder the folder that holds them, if it is not that of the contract
 * @throws BrokenContract if a file is not YAML
 */
export async function bundleFiles(reading: Reading, file: string, name: string, folder?: string): Promise<Bundled> {
  const { document, references } = reading
  const root: Document = { source: new Source(resolve(file), ''), parsed: document }
  const files = new FilesBelow(root, name, reading, folder)
  // Redocly adds components to it.
  document['components'] ??= {}
  const config = await createConfig({})
  const { problems } = await bundle({ doc: root, externalRefResolver: files, config }).catch((error: unknown) => {
    if (error instanceof RangeError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    // Redocly stops without a place at some of these.
    const [reference, object] = [...references].find(([each]) => isOnNetwork(each)) ?? []
    const text = `the reference ${String(reference)} ${onNetwork}`
    if (object !== undefined) throw new BrokenContract(inLines([{ at: { object, key: '$ref' }, text }], name))
    throw new BrokenContract([`${name}: the references cannot be resolved (${reason}); refer to each object directly`])
  })
  refuseCircles(document, new Set(), new Set())
  escapeReferences(document, document['components'], new Set())
  if (files.unreadable.size > 0) throw new BrokenContract([...files.unreadable])
  const misread = files.findMisread()
  if (misread.length > 0) throw new BrokenContract(inLines(misread, name))
  const findings = problems.flatMap(({ message, location: [first] }): Finding[] => {
    if (!message.startsWith("Can't resolve $ref")) return []
    const document = files.parsed(first?.source.absoluteRef ?? '')
    const object = lookUp(document, (first?.pointer ?? '').replace(/^#?/, '#'))
    const reference = lastReference(object, document)
    const reason = message.replace(/^Can't resolve \$ref:? ?/, '') || leadsToNothing
    return [
      { at: isObject(object) ? { object, key: '$ref' } : undefined, text: `the reference ${reference} ${reason}` },
    ]
  })
  return { referred: files.referred, findings }
}

/** The reference at the end of those to components: it is the one that cannot be resolved. */
function lastReference(object: unknown, document: unknown): string {
  const visited = new Set<string>()
  let node = object
  let reference = ''
  while (isObject(node) && typeof node['$ref'] === 'string' && !visited.has(node['$ref'])) {
    reference = node['$ref']
    visited.add(reference)
    node = /^#\/components\/\w+\/[\w.-]+$/.test(reference) ? lookUp(document, reference) : undefined
  }
  return reference
}

const leadsToNothing = 'leads to nothing; correct the name'
const outsideContract =
  'is outside the folder of the contract; keep a copy below it, or run generate with --root and a folder that holds both'
const onNetwork = 'is on the network, which is not used; keep a local copy'

/** Redocly puts an object where it is referred to, even into itself. @throws RangeError as for any endless chain */
function refuseCircles(node: unknown, open: Set<unknown>, done: Set<unknown>): void {
  if (typeof node !== 'object' || node === null || done.has(node)) return
  if (open.has(node)) throw new RangeError('an object contains itself')
  open.add(node)
  for (const member of Object.values(node)) refuseCircles(member, open, done)
  open.delete(node)
  done.add(node)
}

/** Redocly names components by files and names, and refers to them without escaping these names. */
function escapeReferences(node: unknown, components: unknown, visited: Set<unknown>): void {
  if (typeof node !== 'object' || node === null || visited.has(node)) return
  visited.add(node)
  if (isObject(node) && isObject(components) && typeof node['$ref'] === 'string') {
    const [, section = '', name = ''] = /^#\/components\/(\w+)\/(.*[%~].*)$/.exec(node['$ref']) ?? []
    const named = components[section]
    if (isObject(named) && Object.hasOwn(named, name))
      node['$ref'] = `#/components/${section}/${encodeURIComponent(escapeName(name))}`
  }
  for (const [name, member] of Object.entries(node))
    if (!name.startsWith('x-')) escapeReferences(member, components, visited)
}

type Document = RedoclyDocument<Draft>

/** Reads referenced files below a folder in the same way as the contract, and no others. */
class FilesBelow extends BaseResolver {
  readonly referred = new Map<string, Uint8Array>()
  /** Why files are not YAML. */
  readonly unreadable = new Set<string>()
  readonly #documents = new Map<string, Document>()
  readonly #root: string
  readonly #name: string
  readonly #reading: Reading
  readonly #folder: string | undefined

  constructor(root: Document, name: string, reading: Reading, folder: string | undefined) {
    super()
    this.#root = root.source.absoluteRef
    this.#name = name
    this.#reading = reading
    this.#folder = folder
    this.#documents.set(this.#root, root)
  }

  parsed(path: string): Draft | undefined {
    return this.#documents.get(path)?.parsed
  }

  /**
   * The file of a reference. A URI is the `$self` of a file that is known, or of one that is where the URI is beside that
   * of a known file (OpenAPI 3.2, "Establishing the Base URI").
   */
  #pathOf(base: string, reference: string): string {
    const origins = [...this.#documents].flatMap(([path, { parsed }]) => {
      const self = selfOf(parsed)
      return self === undefined ? [] : [{ path, self }]
    })
    const own = origins.find(({ path }) => path === base)?.self
    const uri = URL.canParse(reference, own) ? new URL(reference, own).href : undefined
    const exact = origins.find(({ self }) => self.href === uri)
    if (exact !== undefined) return exact.path
    const isRooted = own !== undefined && reference.startsWith('/')
    if (!isOnNetwork(reference) && !isRooted) return fileOf(dirname(base), reference)
    for (const { path, self } of origins) {
      const folder = new URL('.', self).href
      if (uri?.startsWith(folder) !== true) continue
      const beside = fileOf(dirname(path), uri.slice(folder.length))
      if (existsSync(beside)) return beside
    }
    throw new RejectedFile(onNetwork)
  }

  /**
   * Finds pointers into other files that Redocly follows and that lead to nothing: it skips empty names, takes `00` for an
   * index, and finds what every object inherits (RFC 6901, section 4).
   */
  findMisread(): Finding[] {
    return [...this.#reading.references].flatMap(([reference, object]): Finding[] => {
      const [, file, pointer] = /^([^#]+)#(\/.+)$/.exec(reference) ?? []
      if (file === undefined || pointer === undefined) return []
      const names = pointer.split('/').slice(1).map(unescapePointerFragment)
      if (!names.some((each) => each === '' || each in {} || /^0\d/.test(each))) return []
      const holder = placeOf({ object })?.file
      const base = [...this.#documents.keys()].find((path) => this.#nameOf(path) === holder)
      const document = base === undefined ? undefined : this.parsed(this.resolveExternalRef(base, file))
      if (document === undefined || targetIn(document, `#${pointer}`) !== undefined) return []
      return [{ at: { object, key: '$ref' }, text: `the reference ${reference} ${leadsToNothing}` }]
    })
  }

  #nameOf(path: string): string {
    return path === this.#root ? this.#name : join(dirname(this.#name), relative(dirname(this.#root), path))
  }

  /** Redocly finds out by it whether a reference leads to the same file. */
  override resolveExternalRef(base: string | null, reference: string): string {
    try {
      return this.#pathOf(base ?? this.#root, reference)
    } catch (error) {
      if (error instanceof RejectedFile) return reference
      throw error
    }
  }

  /** Redocly reports its errors with the reference. */
  override resolveDocument<Content>(base: string | null, reference: string): Promise<RedoclyDocument<Content>> {
    // Redocly does not check the type of the content.
    return Promise.resolve().then(() => this.#read(base, reference) as RedoclyDocument<Content>)
  }

  #read(base: string | null, reference: string): Document {
    try {
      const path = this.#pathOf(base ?? this.#root, reference)
      const [, file, anchor] = /^([^#]+)#([^#]+)$/.exec(reference) ?? []
      if (file === undefined || anchor === undefined || existsSync(path))
        return this.#documents.get(path) ?? this.#readFile(path)
      return anchoredIn(this.#read(base, file), anchor)
    } catch (error) {
      if (error instanceof BrokenContract) for (const line of error.lines) this.unreadable.add(line)
      if (error instanceof ResolveError) throw error
      throw failed(error instanceof RejectedFile ? error.message : reasonOf(error, reference))
    }
  }

  #readFile(path: string): Document {
    const name = relative(dirname(this.#root), path)
    const source = readBelow(this.#folder ?? dirname(this.#root), path, this.#folder ? outsideRoot : outsideContract)
    const reading = readYaml(source, this.#nameOf(path))
    resolveIdentifiers(reading)
    for (const [reference, object] of reading.references) this.#reading.references.set(reference, object)
    this.#reading.warnings.push(...reading.warnings)
    const document = { source: new Source(path, ''), parsed: reading.document }
    this.referred.set(name, source)
    this.#documents.set(path, document)
    return document
  }
}

/** The URI of a file by its `$self`; undefined without one. */
function selfOf({ $self: self }: Draft): URL | undefined {
  return typeof self === 'string' && URL.canParse(self) ? new URL(self) : undefined
}

/** A document that leads to the schema with an anchor in another one: Redocly knows only the anchors of the same file. */
function anchoredIn({ source: { absoluteRef: path }, parsed }: Document, anchor: string): Document {
  const pointer = pointerOfAnchor(parsed, anchor)
  if (pointer === undefined) throw failed(leadsToNothing)
  return {
    source: new Source(`${path}#${anchor}`, ''),
    parsed: { $ref: `${encodeURIComponent(basename(path))}#${pointer}` },
  }
}

/** Why a file cannot be read. */
function reasonOf(error: unknown, reference: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'ENOENT'
  if (!/^ENO(?:ENT|TDIR)$/.test(code)) return `cannot be read (${code})`
  return reference.includes('\\') ? 'leads to nothing; write / in place of \\' : leadsToNothing
}

function failed(reason: string): ResolveError {
  return new ResolveError(new Error(reason))
}
