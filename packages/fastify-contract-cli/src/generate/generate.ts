import { renameSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { generateCommand } from 'fastify-contract/document'
import { BrokenContract, type CommandResult } from '../model/yaml/findings.ts'
import { type ContractFiles, type Project, generateFiles } from './generate-files.ts'
import { moduleTypeProblem } from './module-type.ts'

/** Writes the generated files of a contract, or lists stale ones. A rejected contract changes nothing. */
export async function generate(project: Project, { check = false }: { check?: boolean } = {}): Promise<CommandResult> {
  const { contract, out, filesRoot } = project
  let generated: ContractFiles
  try {
    generated = await generateFiles(project)
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error
    return { ok: false, lines: [...error.all, `${out}/ is unchanged`] }
  }
  const { files } = generated
  const folder = resolve(project.root, out)
  const moduleType = await moduleTypeProblem(folder, project.root)
  const warnings = [...generated.warnings, ...(moduleType === undefined ? [] : [moduleType])]
  const stale = await staleFiles(folder, files)
  if (check) {
    const remedy = `run npx ${generateCommand(contract, out, filesRoot)}`
    const mismatches = stale.map((file) => `${out}/${file}: does not match ${contract}; ${remedy}`)
    const result = stale.length === 0 ? [`${out}/ matches ${contract}`] : mismatches
    return { ok: stale.length === 0, lines: [...warnings, ...result] }
  }
  const surplus = stale.find((file) => !files.has(file))
  if (surplus !== undefined && !(await isGenerated(folder, files))) {
    const problem = `has files that are not generated, such as ${surplus}, which would be removed`
    return { ok: false, lines: [`${out}/ ${problem}; choose a folder of its own with --out`] }
  }
  try {
    await replaceFiles(folder, files, stale)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ok: false, lines: [`${out}/: cannot be written (${reason})`] }
  }
  const [written, removed] = [stale.filter((file) => files.has(file)), stale.filter((file) => !files.has(file))]
  const list = (names: string[]) => names.map((name) => `${out}/${name}`).join(', ')
  const lines = [
    ...warnings,
    ...(stale.length === 0 ? [`${out}/ was up to date`] : []),
    ...(written.length > 0 ? [`wrote ${list(written)}`] : []),
    ...(removed.length > 0 ? [`removed ${list(removed)}`] : []),
  ]
  return { ok: true, lines }
}

/** The names of a folder's files that are outdated, missing or surplus. */
async function staleFiles(folder: string, files: Map<string, string>): Promise<string[]> {
  const present = await readdir(folder).catch(() => [])
  const stale: string[] = present.filter((file) => !files.has(file))
  for (const [file, content] of files) {
    const current = await readFile(join(folder, file), 'utf8').catch(() => undefined)
    if (current !== content) stale.push(file)
  }
  return stale.sort()
}

/** Whether an earlier run has written a folder, also that of release 0.1.0. */
async function isGenerated(folder: string, files: ReadonlyMap<string, string>): Promise<boolean> {
  const texts = [...files.keys()].map((file) => readFile(join(folder, file), 'utf8').catch(() => ''))
  return (await Promise.all(texts)).some((text) => /^\/\/ Generated from .* by fastify-contract\./.test(text))
}

/**
 * Replaces the stale files of a folder, in the order of the map. First writes all of them to a temporary folder, so that
 * no file is ever incomplete.
 */
async function replaceFiles(folder: string, files: Map<string, string>, stale: string[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const aside = await mkdtemp(join(dirname(folder), '.generated-'))
  try {
    const changed = [...files].filter(([file]) => stale.includes(file))
    for (const [file, content] of changed) await writeFile(join(aside, file), content)
    for (const [file] of changed) renameSync(join(aside, file), join(folder, file))
    for (const file of stale) if (!files.has(file)) rmSync(join(folder, file), { recursive: true })
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}
