import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { shellQuoted } from 'fastify-contract/document'
import { requiredSchemesOf } from 'fastify-contract/security'
import { BrokenContract, type CommandResult } from '../check/findings.ts'
import { generateFiles } from '../generate/generate-files.ts'
import { writeFailureForm } from './failure-form.ts'
import * as templates from './templates.ts'

/**
 * Makes a service of a contract: the contract unchanged, its generated files, a handler for each operation that answers
 * 501, a verifier for each security scheme, and a test. A rejected contract writes nothing.
 *
 * @param file the contract
 * @param folder a new or an empty folder
 */
export async function init(root: string, file: string, folder: string): Promise<CommandResult> {
  const path = resolve(root, file)
  const present = await readdir(resolve(root, folder)).catch(() => [])
  if (present.length > 0) return { ok: false, lines: [`${folder} is not empty; choose another folder`] }
  try {
    const { files, warnings } = await filesOf(path, basename(resolve(root, folder)))
    for (const [name, content] of files) {
      const target = join(resolve(root, folder), name)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, content)
    }
    return {
      ok: true,
      lines: [...warnings, `wrote ${[...files.keys()].join(', ')}`, ...(await nextSteps(folder))],
    }
  } catch (error) {
    if (error instanceof BrokenContract) return { ok: false, lines: [error.message, `${folder} is not written`] }
    throw error
  }
}

/** How to start a new service. Until they are in the npm registry, the packages are installed from tarballs. */
async function nextSteps(folder: string): Promise<string[]> {
  const version = await ownVersion()
  const tarballs = ['fastify-contract', 'fastify-contract-cli'].map((name) => `PATH/${name}-${version}.tgz`).join(' ')
  return [
    `next: cd ${shellQuoted(folder)} && npm install ${tarballs} && npm start`,
    'the packages are not in the npm registry yet; PATH is the folder where npm pack has written them',
  ]
}

/** The files of a new service, by their paths. */
async function filesOf(path: string, name: string) {
  const contract = basename(path)
  const generated = await generateFiles({ root: dirname(path), contract, out: 'generated' })
  const { document, operations, warnings, sources } = generated
  const form = writeFailureForm(document, operations)
  const schemes = requiredSchemesOf(document, operations)
  const version = await ownVersion()
  const service = { name: packageName(name), contract, version, operations, schemes, hasForm: form !== undefined }
  const files = new Map<string, string | Uint8Array>([
    ['package.json', templates.packageJson(service)],
    ['tsconfig.json', templates.tsconfig],
    ['.gitignore', 'node_modules/\n'],
    ...sources,
    ...[...generated.files].map(([file, text]) => [`generated/${file}`, text] as const),
    ['src/handlers.ts', templates.handlers(service)],
    ...(schemes.size > 0 ? [['src/auth.ts', templates.auth(service)] as const] : []),
    ...(form === undefined ? [] : [['src/failure-form.ts', form] as const]),
    ['src/app.ts', templates.app(service)],
    ['src/dev.ts', templates.dev([...sources.keys()])],
    ['src/server.ts', templates.server(service)],
    ['test/contract.test.ts', templates.test(service)],
  ])
  return { files, warnings }
}

/** The version of this package, which is that of fastify-contract. */
async function ownVersion(): Promise<string> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  // The file has a version.
  return (JSON.parse(manifest) as { version: string }).version
}

/** A name that npm takes (docs.npmjs.com, "package.json"). */
function packageName(folder: string): string {
  return (
    folder
      .toLowerCase()
      .replaceAll(/[^a-z0-9._~-]+/g, '-')
      .replace(/^[._-]+/, '') || 'service'
  )
}
