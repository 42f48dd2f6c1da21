import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { compileFunction } from 'node:vm'
import type * as Whole from 'openapi-backend'

type Used = Pick<typeof Whole, 'OpenAPIBackend' | 'OpenAPIValidator'>

/** What openapi-backend requires for its router, its mocks and its reading of definitions, which are not used here. */
const unused = new Set([
  './refparser',
  'bath-es5',
  'dereference-json-schema',
  'lodash',
  'mock-json-schema',
  'openapi-schema-validator',
  'qs',
])

/** All that is called of them. */
const used = { uniq: (values: unknown[]) => [...new Set(values)] }

/**
 * Loads openapi-backend without these, which are a hundred modules: a seventh of the time of a start, and 9 MiB of an idle
 * server. It is a copy of its own, because other code in the process may need all of it.
 */
export function loadOpenApiBackend(): Used {
  const require = createRequire(import.meta.url)
  try {
    // The types of the package are those of these files.
    return runModule(require.resolve('openapi-backend'), new Map()) as Used
  } catch {
    // Another version may not be CommonJS.
    return require('openapi-backend') as Used
  }
}

/** Runs a module of CommonJS and the files beside it. @param started the exports of those that run or have run */
function runModule(path: string, started: Map<string, object>): object {
  const running = started.get(path)
  if (running !== undefined) return running
  const exports = {}
  started.set(path, exports)
  const require = createRequire(path)
  const load = (name: string): unknown =>
    name.startsWith('.') ? runModule(require.resolve(name), started) : require(name)
  // The modules of the list export objects.
  const requirePart = (name: string): unknown =>
    unused.has(name) ? loadedAtUse(() => load(name) as object) : load(name)
  const run = compileFunction(readFileSync(path, 'utf8'), ['exports', 'require'], { filename: path })
  Reflect.apply(run, undefined, [exports, requirePart])
  return exports
}

/** Stands for a module of those. It is loaded if anything else of it is used, such as by another version. */
function loadedAtUse(load: () => object): object {
  // The mark of compiled modules: openapi-backend copies all members of others.
  const known = { __esModule: true, ...used }
  return new Proxy(known, { get: (_, name): unknown => Reflect.get(name in known ? known : load(), name) })
}
