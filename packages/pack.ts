import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Points package.json at the compiled files before `npm pack`, and back at the sources behind it. In the repository Node
 * runs the sources; in a package below node_modules it strips no types. npm knows no other exports for a tarball.
 */
const file = join(process.cwd(), 'package.json')
const [target] = process.argv.slice(2)

interface Manifest {
  exports?: Record<string, string | { types: string; default: string }>
  bin?: Record<string, string>
}

// The file has these members.
const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest

/** The path of a source without its extension, such as `server/limits`. */
function nameOf(path: string): string {
  return path.replace(/^\.\/(?:src|dist)\//, '').replace(/\.[jt]s$/, '')
}

const { exports = {}, bin = {} } = manifest
for (const [entry, given] of Object.entries(exports)) {
  const path = typeof given === 'string' ? given : given.default
  if (!/^\.\/(?:src|dist)\//.test(path)) continue
  const name = nameOf(path)
  exports[entry] =
    target === 'dist' ? { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` } : `./src/${name}.ts`
}
for (const [command, path] of Object.entries(bin)) {
  bin[command] = target === 'dist' ? `./dist/${nameOf(path)}.js` : `./src/${nameOf(path)}.ts`
}
writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
