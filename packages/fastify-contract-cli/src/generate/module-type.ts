import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isObject } from 'fastify-contract/json'

/**
 * A line for a package whose files are not ES modules, as generated files are (Node.js, "Determining module system").
 *
 * @param folder of the generated files, which may not exist yet
 * @param root the folder to which the path in the line is relative
 */
export async function moduleTypeProblem(folder: string, root: string): Promise<string | undefined> {
  const file = join(folder, 'package.json')
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return dirname(folder) === folder ? undefined : moduleTypeProblem(dirname(folder), root)
  if (typeOf(text) === 'module') return undefined
  return `${relative(root, file)}: the generated files are ES modules; add "type": "module"`
}

/** @returns undefined if there is none; npm reports a package.json that is not JSON */
function typeOf(manifest: string): unknown {
  try {
    const parsed: unknown = JSON.parse(manifest)
    return isObject(parsed) ? parsed['type'] : undefined
  } catch {
    return undefined
  }
}
