import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { shellQuoted } from 'fastify-contract/document'
import { requiredSchemesOf } from 'fastify-contract/security'
import { BrokenContract, type CommandResult } from '../model/yaml/findings.ts'
import { generateFiles } from '../generate/generate-files.ts'
import { readContract } from '../suite/ground/contract.ts'
import type { SchemaSource } from '../suite/draw/flat-schema.ts'
import { exampleHandlers } from './example-handlers.ts'
import { declaredForm, writeFailureForm } from './failure-form.ts'
import * as templates from './templates.ts'

/**
 * Makes a service of a contract: the contract unchanged, its generated files, a handler for each operation that answers
 * 501, a verifier for each security scheme, and a test. A rejected contract writes nothing.
 *
 * @param file the contract
 * @param folder a new or an empty folder
 */
export async function init(root: string, file: string, folder: string): Promise<CommandResult> {
  const target = resolve(root, folder)
  const refused = (problem: string) => ({ ok: false, lines: [`${folder} ${problem}; choose another folder`] })
  const problem = await problemOf(target)
  if (problem !== undefined) return refused(problem)
  try {
    const { files, warnings, secrets } = await filesOf(resolve(root, file), basename(target))
    const code = await writeFiles(target, files)
    if (code !== undefined) return refused(`cannot be written (${code})`)
    return {
      ok: true,
      lines: [...warnings, `wrote ${[...files.keys()].join(', ')}`, ...nextSteps(folder, secrets)],
    }
  } catch (error) {
    if (error instanceof BrokenContract) return { ok: false, lines: [...error.all, `${folder} is not written`] }
    throw error
  }
}

/** Why a folder is neither new nor empty. */
async function problemOf(folder: string): Promise<string | undefined> {
  try {
    return (await readdir(folder)).length > 0 ? 'is not empty' : undefined
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOTDIR') return 'is not a folder'
    if (code !== 'ENOENT') return `cannot be read (${code})`
    const isLink = await lstat(folder).then(
      () => true,
      () => false,
    )
    return isLink ? 'is a link to nothing' : undefined
  }
}

/** Writes files to a new or an empty folder, or nothing. @returns the code of the error that kept it from that */
async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string | Uint8Array>,
): Promise<string | undefined> {
  let createdFolder: string | undefined
  try {
    createdFolder = await mkdir(folder, { recursive: true })
    for (const [name, content] of files) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), content)
    }
    return undefined
  } catch (error) {
    const written =
      createdFolder === undefined ? [...files.keys()].map((name) => join(folder, firstOf(name))) : [createdFolder]
    for (const each of written) await rm(each, { recursive: true, force: true })
    return codeOf(error)
  }
}

/** The code of a system error. @throws any other */
function codeOf(error: unknown): string {
  if (error instanceof Error && 'syscall' in error && 'code' in error) return String(error.code)
  throw error
}

function firstOf(path: string): string {
  return path.split('/', 1).join()
}

/** How to start a new service. Until they are in the npm registry, the packages are installed from vendor/. */
function nextSteps(folder: string, secrets: readonly string[]): string[] {
  const packages = ['fastify-contract', 'fastify-contract-cli']
  const tarballs = packages.map((name) => `PATH/${templates.tarballOf(name)}`).join(' ')
  return [
    `next: cd ${shellQuoted(folder)} && cp ${tarballs} vendor/ && npm install && npm start`,
    ...(secrets.length === 0 ? [] : [`before npm start, set ${secrets.join(', ')} to what callers must send`]),
    'the packages are not in the npm registry yet; PATH is the folder where npm pack has written them',
  ]
}

/** The files of a new service, by their paths. */
async function filesOf(path: string, name: string) {
  const contract = basename(path)
  const generated = await generateFiles({ root: dirname(path), contract, out: 'generated' })
  const { document, operations, warnings, sources } = generated
  const source: SchemaSource = { ...readContract(document), direction: 'response' }
  const form = declaredForm(operations, source)
  const schemes = requiredSchemesOf(document, operations)
  const service: templates.Service = {
    name: packageName(name),
    contract,
    operations,
    schemes,
    hasForm: form !== undefined,
    examples: exampleHandlers(operations, source),
    isStrict: warnings.length === 0,
  }
  const files = new Map<string, string | Uint8Array>([
    ['package.json', templates.packageJson(service)],
    ['tsconfig.json', templates.tsconfig],
    ['.gitignore', templates.gitignore],
    ['.gitattributes', templates.gitattributes],
    ['.github/workflows/test.yml', templates.workflow],
    ['vendor/README.md', templates.vendor],
    ...[...generated.files].map(([file, text]) => [`generated/${file}`, text] as const),
    ['src/handlers.ts', templates.handlers(service)],
    ...(schemes.size > 0 ? [['src/auth.ts', templates.auth(service)] as const] : []),
    ...(form === undefined ? [] : [['src/failure-form.ts', writeFailureForm(form, source)] as const]),
    ['src/app.ts', templates.app(service)],
    ['src/dev.ts', templates.dev],
    ['src/server.ts', templates.server(service)],
    ['test/contract.test.ts', templates.test(service)],
  ])
  // Some file systems ignore case. What is in generated/, the next `generate` removes.
  const isOwn = (source: string, own: string) => own === source || own.startsWith(`${source}/`)
  for (const source of sources.keys()) {
    const name = source.toLowerCase()
    if (firstOf(name) === 'generated' || [...files.keys()].some((own) => isOwn(name, own.toLowerCase()))) {
      throw new BrokenContract([`${source}: the new service has a file of this name; rename it`])
    }
  }
  const secrets = [...templates.variablesOf(schemes).values()]
  return { files: new Map([...files, ...sources]), warnings, secrets }
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
