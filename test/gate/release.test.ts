import { execFile, execFileSync } from 'node:child_process'
import { chmod, cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { checkBreaking } from '../../scripts/develop/breaking/compare-with-release.ts'
import { generate } from '../../scripts/develop/generate/generate.ts'
import { closeVersion } from '../../scripts/develop/release/changelog.ts'
import { release } from '../../scripts/develop/release/release.ts'
import { type Edit, copyReleasedProject, replace } from './project-copy.ts'

const project = join(import.meta.dirname, '../..')
const today = new Date('2027-02-03T23:59:59Z')

/** A copy of the project after the release of 1.0.0 that is a git repository. */
async function repository() {
  const { root, editContract } = await copyReleasedProject()
  for (const file of ['.gitignore', 'package-lock.json']) await cp(join(project, file), join(root, file))
  await writeFile(
    join(root, 'CHANGELOG.md'),
    '# Changelog\n\n## Unreleased\n\n### For clients\n\n- Words.\n\n## 1.0.0 (2026)\n',
  )
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
  git('init', '--quiet', '--initial-branch', 'main')
  for (const [name, value] of Object.entries({
    'user.name': 'test',
    'user.email': 'test@localhost',
    'commit.gpgsign': 'false',
    'tag.gpgsign': 'false',
  }))
    git('config', name, value)
  const commit = () => git('add', '--all') + git('commit', '--quiet', '--message', 'change')
  commit()
  return {
    root,
    git,
    commit,
    editContract,
    /** Changes the contract as a person does before a release. */
    change: async (...edits: Edit[]) => {
      for (const edit of edits) await editContract(edit)
      await generate(root, 'write')
      commit()
    },
    read: (file: string) => readFile(join(root, file), 'utf8'),
    release: (version?: string) => release(root, version, today),
    /** All that a release changes. */
    state: () => [git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain'), git('worktree', 'list')],
  }
}

const compatible = replace('            minimum: 0\n', '            minimum: -1\n')
const breaking = replace('          required: false', '          required: true')
const editorial = replace('summary: Create a plant', 'summary: Create one plant')

describe('a release', { timeout: 60_000 }, () => {
  test('keeps the contract, closes the changelog, sets the version, commits and tags', async () => {
    const { root, git, change, read, release, state } = await repository()
    await change(compatible, editorial)
    const released = await release('1.1.0')
    const contract = await read('openapi.yaml')
    expect(contract).toMatch(/^ {2}version: 1\.1\.0$/m)
    expect(await read('docs/releases/openapi-1.1.0.yaml')).toBe(contract)
    expect(await generate(root, 'check')).toMatchObject({ ok: true })
    expect(await checkBreaking(root, undefined)).toEqual({
      ok: true,
      lines: ['openapi.yaml has no change for clients since 1.1.0'],
    })
    expect(await read('CHANGELOG.md')).toBe(`# Changelog

## Unreleased

## 1.1.0 (2027-02-03)

### The contract, compared with 1.0.0

- Compatible: GET /plants, query parameter limit: minimum changed from 0 to -1.
- Editorial: 1 changed in descriptions and examples.

### For clients

- Words.

## 1.0.0 (2026)
`)
    const lines = (text: string) => text.replaceAll(/^\s*"version": "[^"]*",$/gm, '').trimEnd()
    for (const file of ['package.json', 'package-lock.json']) {
      const text = await read(file)
      expect(JSON.parse(text)).toMatchObject({ version: '1.1.0' })
      expect(lines(text)).toBe(lines(git('show', `HEAD~1:${file}`)))
    }
    expect(JSON.parse(await read('package-lock.json'))).toMatchObject({ packages: { '': { version: '1.1.0' } } })
    expect(git('cat-file', '-t', 'v1.1.0')).toBe('tag')
    const [head, tags, status, workTrees] = state()
    expect([git('rev-parse', 'v1.1.0^{commit}'), git('rev-parse', 'main')]).toEqual([head, head])
    expect([tags, status, workTrees?.split('\n').length]).toEqual(['v1.1.0', '', 1])
    expect(git('log', '-1', '--format=%s')).toBe('Release 1.1.0')
    expect(released.at(-1)).toBe('next: read it with "git show v1.1.0", then git push --atomic origin main v1.1.0')
    await expect(release('1.1.0')).rejects.toThrow(
      'must be higher than the newest release, 1.1.0: npm run release -- 1.1.1',
    )
  })

  test('takes the version from openapi.yaml when none is given, and a shallow clone is enough', async () => {
    const { root, git, change } = await repository()
    await change(breaking, replace('version: 1.0.0', 'version: 2.0.0'))
    const clone = `${root}/data/clone`
    git('clone', '--quiet', '--depth', '1', `file://${root}`, clone)
    for (const name of ['user.name', 'user.email']) git('-C', clone, 'config', name, 'test')
    const { stdout } = await promisify(execFile)(process.execPath, [join(project, 'scripts/develop/release.ts')], {
      cwd: clone,
    })
    expect(stdout.split('\n')[0]).toBe('kept the contract in docs/releases/openapi-2.0.0.yaml')
    expect(await readFile(join(clone, 'CHANGELOG.md'), 'utf8')).toMatch(
      /^- Breaking: GET \/plants, query parameter limit: .* became required\.$/m,
    )
    expect(git('-C', clone, 'tag')).toBe('v2.0.0')
  })

  test('needs a version that is as high as the changes ask for', async () => {
    const { change, release, git, state } = await repository()
    const before = state()
    await expect(release('1.0.0')).rejects.toThrow('the version, 1.0.0, must be higher than the newest release, 1.0.0')
    await expect(release()).rejects.toThrow(
      'info.version of openapi.yaml, 1.0.0, must be higher than the newest release, 1.0.0: npm run release -- 1.0.1',
    )
    await expect(release('1.1')).rejects.toThrow('1.1 is no version X.Y.Z')
    expect(state()).toEqual(before)
    await change(compatible, replace('version: 1.0.0', 'version: 1.1.0-rc.1'))
    await expect(release()).rejects.toThrow('info.version 1.1.0-rc.1 is no version X.Y.Z')
    await expect(release('1.0.1')).rejects.toThrow(
      /^compatible {2}GET \/plants.*\n1\.0\.1 is too low after 1\.0\.0; .* minor version: npm run release -- 1\.1\.0$/,
    )
    await change(breaking)
    await expect(release('1.1.0')).rejects.toThrow(
      /^breaking {2}GET \/plants.*\n1\.1\.0 is too low after 1\.0\.0; .* major version: npm run release -- 2\.0\.0$/,
    )
    expect(git('tag')).toBe('')
  })

  test('is refused with the remedy when the repository is not ready, and changes nothing', async () => {
    const { root, git, commit, editContract, read, release, state } = await repository()
    const start = git('rev-parse', 'HEAD')
    const refused = async (message: RegExp) => {
      const before = state()
      await expect(release('1.0.1')).rejects.toThrow(message)
      expect(state()).toEqual(before)
      git('reset', '--quiet', '--hard', start)
      git('clean', '--quiet', '-d', '--force')
    }
    await writeFile(join(root, 'new.txt'), '')
    await refused(/^commit or stash these changes, then release:\n\?\? new\.txt$/)
    await writeFile(join(root, 'CHANGELOG.md'), '')
    await refused(/^commit or stash these changes, then release:\n M CHANGELOG\.md$/)
    await editContract(editorial)
    commit()
    await refused(/generated\/contract\.json does not match openapi\.yaml: run npm run generate/)
    await writeFile(join(root, 'CHANGELOG.md'), (await read('CHANGELOG.md')).replace('## Unreleased\n', ''))
    commit()
    await refused(/^CHANGELOG\.md has no section "Unreleased": add the line ## Unreleased$/)
    await rm(join(root, 'docs'), { recursive: true })
    commit()
    await refused(/^docs\/releases\/ has no released contract/)
    git('switch', '--quiet', '--detach')
    await refused(/^no branch is checked out to commit to: git switch main$/)
    git('switch', '--quiet', 'main')
    git('tag', 'v1.0.1')
    await refused(/^there is a tag v1\.0\.1 already; .*git tag --delete v1\.0\.1$/)
  })

  test('that git cannot commit or move the branch to changes nothing', async () => {
    const { root, release, state } = await repository()
    const before = state()
    const hook = join(root, '.git/hooks/pre-commit')
    await writeFile(hook, '#!/bin/sh\necho the hook says no >&2\nexit 1\n')
    await chmod(hook, 0o755)
    await expect(release('1.0.1')).rejects.toThrow('git commit failed: the hook says no')
    expect(state()).toEqual(before)
    await rm(hook)
    await writeFile(join(root, '.git/index.lock'), '')
    await expect(release('1.0.1')).rejects.toThrow(/^git merge failed: .*index\.lock/s)
    expect(state()).toEqual(before)
    await rm(join(root, '.git/index.lock'))
    await expect(release('1.0.1')).resolves.toContain('wrote the section 1.0.1 of CHANGELOG.md')
  })

  test('outside of a repository is refused', async () => {
    const { root } = await copyReleasedProject()
    await expect(release(root, '1.0.1', today)).rejects.toThrow('git status failed: ')
  })
})

test('the changelog gets no second section of a version', () => {
  const comparison = { base: '1.0.0', changes: [], versions: { before: '1.0.0', after: '1.0.0' } }
  expect(closeVersion('# C\n\n## Unreleased\n', '1.0.1', '2027-02-03', comparison)).toBe(
    [
      '# C\n\n## Unreleased\n\n## 1.0.1 (2027-02-03)\n\n',
      '### The contract, compared with 1.0.0\n\n- No change for clients.\n',
    ].join(''),
  )
  expect(() => closeVersion('# C\n\n## Unreleased\n\n## 1.0.1 (2027)\n', '1.0.1', '2027-02-03', comparison)).toThrow(
    'CHANGELOG.md has a section 1.0.1 already: rename it to ## Unreleased',
  )
})
