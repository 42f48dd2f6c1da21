import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { contractFile } from '../../../src/contract/document.ts'
import { isScalar, parseDocument } from 'yaml'
import { UsageError } from '../../command.ts'
import { type Comparison, compareWithRelease, withImpact } from '../breaking/compare-with-release.ts'
import {
  type Version,
  compareVersions,
  newestRelease,
  parseVersion,
  releasedFile,
} from '../breaking/released-contracts.ts'
import { readSource } from '../contract/read-file.ts'
import { readOpenApi } from '../contract/read-contract.ts'
import { generate } from '../generate/generate.ts'
import { changelogFile, closeVersion } from './changelog.ts'

/**
 * Releases a version: keeps the contract, closes the section of the changelog, sets the version, commits and tags.
 *
 * Everything is prepared and committed in a temporary work tree of git, so that a failure leaves branch and files as
 * they were.
 *
 * @param root the project's folder
 * @param given the version, such as 1.1.0; undefined for that of openapi.yaml
 * @param now the time of the release; its day in UTC goes into the changelog
 * @returns what was done and what comes next, line by line
 * @throws UsageError when the version cannot be released, with the remedy; BrokenContract
 */
export async function release(root: string, given: string | undefined, now: Date): Promise<string[]> {
  const branch = await cleanBranch(root)
  const comparison = await compareWithRelease(root, undefined)
  const version = await releasableVersion(root, given, comparison)
  const generated = await generate(root, 'check')
  if (!generated.ok) throw new UsageError([...generated.lines, 'commit what it writes, then release'].join('\n'))

  const name = version.join('.')
  const tag = `v${name}`
  if ((await git(root, 'tag', '--list', tag)) !== '')
    throw new UsageError(`there is a tag ${tag} already; if no release has it, remove it: git tag --delete ${tag}`)
  const commit = await inTemporaryWorkTree(root, async (folder) => {
    await writeRelease(folder, version, now, comparison)
    await git(folder, 'add', '--all')
    await git(folder, 'commit', '--quiet', '--message', `Release ${name}`)
    return git(folder, 'rev-parse', '--short', 'HEAD')
  })
  await git(root, 'tag', '--annotate', '--message', `Plant Store ${name}`, tag, commit)
  try {
    await git(root, 'merge', '--quiet', '--ff-only', commit)
  } catch (error) {
    await git(root, 'tag', '--delete', tag)
    throw error
  }
  return [
    `kept the contract in ${releasedFile(version)}`,
    `wrote the section ${name} of ${changelogFile}`,
    `set the version in ${contractFile}, package.json and package-lock.json`,
    `committed ${commit} to ${branch} and tagged it ${tag}`,
    `next: read it with "git show ${tag}", then git push --atomic origin ${branch} ${tag}`,
  ]
}

/** The branch that is checked out, when everything is committed. */
async function cleanBranch(root: string): Promise<string> {
  const changed = await git(root, 'status', '--porcelain')
  if (changed !== '') throw new UsageError(`commit or stash these changes, then release:\n${changed}`)
  const branch = await git(root, 'branch', '--show-current')
  if (branch === '') throw new UsageError('no branch is checked out to commit to: git switch main')
  return branch
}

async function releasableVersion(root: string, given: string | undefined, comparison: Comparison): Promise<Version> {
  const { base, changes, versions } = comparison
  const newest = await newestRelease(root)
  const [least, reason] = leastVersion(newest, comparison)
  const remedy = `npm run release -- ${least.join('.')}`
  const version = parseVersion(given ?? versions.after)
  if (version === undefined)
    throw new UsageError(`${given ?? `info.version ${versions.after}`} is no version X.Y.Z; ${reason}: ${remedy}`)
  if (compareVersions(version, newest) <= 0) {
    const origin = given === undefined ? `info.version of ${contractFile}` : 'the version'
    throw new UsageError(`${origin}, ${version.join('.')}, must be higher than the newest release, ${base}: ${remedy}`)
  }
  if (compareVersions(version, least) >= 0) return version
  const cause = withImpact(changes, withImpact(changes, 'breaking').length > 0 ? 'breaking' : 'compatible')
  const lines = cause.map(({ impact, text, place }) => `${impact}  ${text} (${place})`)
  throw new UsageError([...lines, `${version.join('.')} is too low after ${base}; ${reason}: ${remedy}`].join('\n'))
}

/** The lowest version that the changes allow, and why (https://semver.org). */
function leastVersion([major, minor, patch]: Version, { changes }: Comparison): [Version, reason: string] {
  if (withImpact(changes, 'breaking').length > 0)
    return [[major + 1, 0, 0], 'a breaking change needs a new major version']
  if (withImpact(changes, 'compatible').length > 0)
    return [[major, minor + 1, 0], 'a compatible change of the contract needs a new minor version']
  return [[major, minor, patch + 1], 'the contract has no change for clients, so that a new patch version is enough']
}

/** Runs something in a second work tree of the repository, and removes it afterwards. */
async function inTemporaryWorkTree<T>(root: string, run: (folder: string) => Promise<T>): Promise<T> {
  const temporary = await mkdtemp(join(tmpdir(), 'release-'))
  const tree = join(temporary, 'tree')
  try {
    await git(root, 'worktree', 'add', '--quiet', '--detach', tree, 'HEAD')
    // The project need not be the whole repository.
    return await run(join(tree, await git(root, 'rev-parse', '--show-prefix')))
  } finally {
    await rm(temporary, { recursive: true, force: true })
    await git(root, 'worktree', 'prune')
  }
}

async function writeRelease(folder: string, version: Version, now: Date, comparison: Comparison): Promise<void> {
  const name = version.join('.')
  await edit(join(folder, contractFile), (text) => withInfoVersion(text, name))
  await edit(join(folder, 'package.json'), (text) => text.replace(/^( {2}"version": )"[^"]*"/m, `$1"${name}"`))
  await edit(join(folder, 'package-lock.json'), (text) => withLockVersion(text, name))
  const day = now.toISOString().slice(0, 10)
  await edit(join(folder, changelogFile), (text) => closeVersion(text, name, day, comparison))
  const source = join(folder, contractFile)
  const { text } = await readOpenApi(readSource(source), source)
  await writeFile(join(folder, releasedFile(version)), text)
  const { ok, lines } = await generate(folder, 'write')
  if (!ok) throw new UsageError(lines.join('\n'))
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(file, change(await readFile(file, 'utf8')))
}

/** Sets info.version and leaves every other byte of the contract as it is. */
function withInfoVersion(text: string, version: string): string {
  const node = parseDocument(text).getIn(['info', 'version'], true)
  if (!isScalar(node) || node.range === undefined || node.range === null)
    throw new UsageError(`${contractFile} has no info.version: add one`)
  const [start, end] = node.range
  return `${text.slice(0, start)}${version}${text.slice(end)}`
}

/** Sets the project's version in npm's lock file, where it stands twice. */
function withLockVersion(text: string, version: string): string {
  // npm writes the lock file as JSON.stringify does.
  const lock = JSON.parse(text) as { version: string; packages: { '': { version: string } } }
  lock.version = version
  lock.packages[''].version = version
  return `${JSON.stringify(lock, null, 2)}\n`
}

const execute = promisify(execFile)

/**
 * Runs git in a folder.
 *
 * @returns what it wrote to standard output, without the last line break
 * @throws UsageError with git's own message when it fails
 */
async function git(folder: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await execute('git', args, { cwd: folder, maxBuffer: 2 ** 26 })
    return stdout.trimEnd()
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new UsageError(`git ${args[0] ?? ''} failed: ${(stderr ?? '').trim() || message}`, { cause: error })
  }
}
