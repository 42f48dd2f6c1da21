import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

function filesIn(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: root }).sort()
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

const importsByFile = new Map<string, string[]>()

/** What a file imports, types too, as paths from the project's folder, or as the names of packages. */
function importsOf(file: string): string[] {
  const known = importsByFile.get(file)
  if (known !== undefined) return known
  const { importedFiles } = ts.preProcessFile(textOf(file))
  const names = importedFiles.map(({ fileName }) =>
    fileName.startsWith('.') ? join(dirname(file), fileName) : fileName,
  )
  importsByFile.set(file, names)
  return names
}

/** The folders of the handlers. A new resource has the room of the others without a word here. */
const resources = [
  ...new Set(
    importsOf('src/handlers.ts')
      .map((file) => `${dirname(file)}/`)
      .filter((folder) => folder !== 'src/' && folder !== 'src/contract/'),
  ),
]

/**
 * Which of the project's files and folders each room may import from, beside its own. The longest matching key
 * is a file's room. Arrows run one way: main → serve → app → http, auth → contract → generated; nothing but the start
 * of the process imports the handlers.
 */
const mayImport: Record<string, string[]> = {
  'src/main.ts': ['src/process/'],
  'src/process/': [
    'src/app.ts',
    'src/handlers.ts',
    'src/config/',
    'src/auth/',
    'src/contract/',
    'src/monitoring/',
    'src/store/open-store.ts',
    'src/store/store.ts',
  ],
  'src/handlers.ts': ['src/context.ts', 'src/contract/types.ts', ...resources],
  'src/context.ts': ['src/contract/types.ts', 'src/store/store.ts', ...resources],
  'src/app.ts': [
    'src/context.ts',
    'src/config/limits.ts',
    'src/connections/',
    'src/http/',
    'src/rate-limit/',
    'src/docs/',
    'src/monitoring/',
    'src/auth/',
    'src/contract/',
    'src/store/store.ts',
  ],
  'src/config/': ['src/auth/jwt.ts', 'src/store/host-urls.ts', 'src/store/open-store.ts'],
  'src/connections/': ['src/config/limits.ts', 'src/contract/errors.ts', 'src/contract/types.ts', 'src/http/send.ts'],
  'src/http/': ['src/connections/', 'src/auth/', 'src/contract/', 'src/json/'],
  'src/rate-limit/': ['src/contract/errors.ts', 'src/http/stage.ts'],
  'src/docs/': ['src/contract/'],
  'src/monitoring/': ['src/auth/tokens.ts', 'src/contract/errors.ts', 'src/http/send.ts'],
  'src/auth/': ['src/contract/security.ts', 'src/contract/types.ts', 'src/store/limits.ts', 'src/store/store.ts'],
  ...Object.fromEntries(
    resources.map((folder) => [
      folder,
      ['src/context.ts', 'src/contract/types.ts', 'src/contract/errors.ts', 'src/store/store.ts'],
    ]),
  ),
  'src/store/': ['src/contract/types.ts'],
  'src/store/sqlite/': [
    'src/store/batch.ts',
    'src/store/limits.ts',
    'src/store/pages.ts',
    'src/store/rows.ts',
    'src/store/store.ts',
    'src/contract/types.ts',
  ],
  'src/store/postgres/': [
    'src/store/batch.ts',
    'src/store/host-urls.ts',
    'src/store/limits.ts',
    'src/store/pages.ts',
    'src/store/rows.ts',
    'src/store/store.ts',
    'src/contract/types.ts',
  ],
  'src/json/': [],
  'src/schema/': ['src/json/'],
  'src/contract/': [
    'src/client/message-types.ts',
    'src/json/',
    'src/schema/',
    'generated/errors.ts',
    'generated/openapi.ts',
  ],
  // The client is for other programs: nothing of the server.
  'src/client/': ['generated/client.ts', 'generated/openapi.ts'],
  'generated/': [],
}

/** Files that alone may import something, because it is to be replaceable or the way to it is to be one. */
const importedOnlyBy: Record<string, string[]> = {
  'generated/openapi.ts': ['src/client/types.ts', 'src/contract/types.ts'],
  'src/handlers.ts': ['src/process/serve.ts'],
  'openapi-typescript': ['scripts/develop/generate/write/write-types.ts'],
}

/** Where in src each library may be known. */
const libraryRooms: Record<string, string[]> = {
  'openapi-backend': ['src/contract/openapi-backend.ts'],
  ajv: ['src/contract/', 'src/schema/'],
  envalid: ['src/config/'],
  jose: ['src/auth/jwt.ts', 'src/auth/key-set.ts'],
  'ipaddr.js': ['src/rate-limit/'],
  'toad-cache': ['src/auth/last-used.ts', 'src/rate-limit/request-counts.ts'],
  'prom-client': ['src/monitoring/metrics.ts'],
  fastify: [
    'src/process/',
    'src/app.ts',
    'src/connections/',
    'src/http/',
    'src/docs/',
    'src/monitoring/',
    'src/rate-limit/',
  ],
  '@fastify': ['src/docs/', 'src/http/cors.ts'],
  'better-sqlite3': ['src/store/sqlite/'],
  pg: ['src/store/postgres/'],
}

function isWithin(file: string, place: string): boolean {
  return place.endsWith('/') ? file.startsWith(place) : file === place
}

function isOf(imported: string, library: string): boolean {
  return imported === library || imported.startsWith(`${library}/`)
}

function roomOf(file: string): string | undefined {
  return Object.keys(mayImport)
    .filter((room) => isWithin(file, room))
    .sort((a, b) => b.length - a.length)[0]
}

/** The lines of a file on which a node is that the test speaks of, and in whose text the word is. */
function linesWith(file: string, word: string, isMeant: (node: ts.Node) => boolean): string[] {
  const text = textOf(file)
  // To parse all files takes seconds. Lines of comments are not looked at.
  if (!new RegExp(`^(?!\\s*(?:/?\\*|//)).*\\b${word}\\b`, 'm').test(text)) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const lines: string[] = []
  function visit(node: ts.Node): void {
    if (isMeant(node))
      lines.push(`${file}:${String(source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1)}`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return lines
}

const sources = filesIn('src/**/*.ts', 'generated/*.ts')
const scripts = filesIn('scripts/**/*.ts')

describe('imports', () => {
  it('are read', () => {
    expect(sources.length).toBeGreaterThan(30)
    expect(importsOf('src/process/serve.ts')).toEqual(expect.arrayContaining(['src/app.ts', 'pino']))
    expect(importsOf('src/handlers.ts')).toContain('src/contract/types.ts')
  })

  it.each(sources)('of %s stay within its room and those that it may know', (file) => {
    const room = roomOf(file)
    expect(room, `${file}: say in mayImport of test/architecture.test.ts what its folder may import`).toBeDefined()
    const allowed = [room!, ...mayImport[room!]!]
    const own = importsOf(file).filter((imported) => /^(?:src|generated|scripts|test)\//.test(imported))
    expect(own.filter((imported) => !allowed.some((place) => isWithin(imported, place)))).toEqual([])
  })

  it('of one database or the other are in the files that open them alone', () => {
    const others = sources.filter((file) => !/^src\/store\/(?:(?:sqlite|postgres)\/|open-)/.test(file))
    expect(
      others.filter((file) => importsOf(file).some((imported) => /^src\/store\/(?:sqlite|postgres)\//.test(imported))),
    ).toEqual([])
  })

  it.each(Object.entries(importedOnlyBy))('of %s are in %j alone', (target, importers) => {
    expect(
      [...sources, ...scripts].filter((file) => importsOf(file).some((imported) => isOf(imported, target))),
    ).toEqual(importers)
  })

  it.each(Object.entries(libraryRooms))('of %s are in %j alone', (library, rooms) => {
    const importers = sources.filter((file) => importsOf(file).some((imported) => isOf(imported, library)))
    expect(importers).not.toEqual([])
    expect(importers.filter((file) => !rooms.some((room) => isWithin(file, room)))).toEqual([])
  })

  it('of src never reach into scripts or test', () => {
    expect(sources.filter((file) => importsOf(file).some((imported) => /^(?:scripts|test)\//.test(imported)))).toEqual(
      [],
    )
  })
})

describe('the code of src', () => {
  it('uses `process` where the process starts and ends alone', () => {
    const isProcess = (node: ts.Node) =>
      ts.isIdentifier(node) ? node.text === 'process' : ts.isStringLiteral(node) && node.text === 'node:process'
    const users = sources.filter((file) => linesWith(file, 'process', isProcess).length > 0)
    expect(users).toEqual(['src/main.ts', 'src/process/serve.ts', 'src/process/signals.ts'])
  })

  it('has no `any`, and neither have the scripts and the tests', () => {
    const written = filesIn(
      'src/**/*.ts',
      'scripts/**/*.ts',
      'bench/*.ts',
      'bench/!(node_modules)/**/*.ts',
      'test/**/*.ts',
    )
    const isAny = (node: ts.Node) => node.kind === ts.SyntaxKind.AnyKeyword
    expect(written.flatMap((file) => linesWith(file, 'any', isAny))).toEqual([])
  })
})
