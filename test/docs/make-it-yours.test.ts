import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/server/start-app.ts'
import { type Block, blocksOf } from '../support/pages.ts'

const project = join(import.meta.dirname, '../..')
const run = promisify(execFile)

const blocks = blocksOf('docs/make-it-yours.md')

/**
 * Copies the project into a git repository. The tests beside the contract suite are left out: they take the compiler
 * longer than all the rest, and nothing happens to them but the renaming.
 */
async function copyRepository(): Promise<string> {
  const root = await temporaryFolder()
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: project })
  const unread = /^(?:docs\/(?:bench|soak)|bench|test\/(?!contract-suite|support)[^/]*)\//
  const files = stdout.split('\0').filter((file) => file !== '' && !unread.test(file))
  await Promise.all(
    files.map(async (file) => {
      await mkdir(join(root, dirname(file)), { recursive: true })
      await cp(join(project, file), join(root, file))
    }),
  )
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'))
  await run('git', ['init', '--quiet'], { cwd: root })
  await run('git', ['add', '--all'], { cwd: root })
  return root
}

/** Does what the page says about a block. */
async function follow(root: string, { language, text, before }: Block): Promise<void> {
  const words = before.trim().replaceAll(/\s*\n/g, ' ')
  const insertion = /Before the line `([^`]+)` of `([^`]+)`, add:$/.exec(words)
  const file = /^The file `([^`]+)` becomes:$/.exec(words)
  if (language === 'sh') {
    // A few runs of each property, always the same ones: the suite itself is tested elsewhere.
    const env = { ...process.env, CONTRACT_SCALE: '0.05', CONTRACT_SEED: '1', VITEST: undefined }
    // The message of a failed command has what it wrote to standard error alone.
    await run('bash', ['-euo', 'pipefail', '-c', `exec 1>&2\n${text}`], { cwd: root, env })
  } else if (insertion) {
    const [, line, name] = insertion
    const path = join(root, String(name))
    const content = await readFile(path, 'utf8')
    expect(content, words).toContain(`\n${String(line)}\n`)
    await writeFile(
      path,
      content.replace(`\n${String(line)}\n`, () => `\n${text}${String(line)}\n`),
    )
  } else if (file) {
    await mkdir(join(root, dirname(String(file[1]))), { recursive: true })
    await writeFile(join(root, String(file[1])), text)
  } else if (language === '') {
    await expectAnswers(root, text)
  } else {
    throw new Error(`the page does not say what to do with:\n${text}`)
  }
}

/** Starts the server, and expects of each command the answer in the line below it. */
async function expectAnswers(root: string, text: string): Promise<void> {
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'silent' }
  const server = spawn(process.execPath, ['src/main.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(server, 'exit')
  onTestFinished(async () => {
    server.kill()
    await exit
  })
  let [origin, token] = ['', '']
  for await (const line of createInterface({ input: server.stdout })) {
    origin = /^Book Store\s+(\S+)/.exec(line)?.[1] ?? origin
    token = /^Token\s+(\S+)/.exec(line)?.[1] ?? token
    if (origin !== '' && token !== '') break
  }
  const lines = text.trimEnd().split('\n')
  for (let index = 0; index < lines.length; index += 2) {
    const command = String(lines[index]).replace('$ curl ', 'curl --silent ').replace('http://127.0.0.1:3000', origin)
    const { stdout } = await run('bash', ['-c', command], { env: { ...process.env, TOKEN: token } })
    expect(stdout, command).toBe(lines[index + 1])
  }
}

test(
  'the page leads from a copy to a service with two resources that keeps its contract',
  { timeout: 180_000 },
  async () => {
    const root = await copyRepository()
    expect(blocks.filter(({ language }) => language === 'sh')).toHaveLength(4)
    for (const block of blocks) await follow(root, block)
    // Nothing of the first resource is left where the service is.
    await expect(
      run('git', ['grep', '-il', 'plant', '--', 'src', 'openapi.yaml', 'generated'], { cwd: root }),
    ).rejects.toMatchObject({
      code: 1,
      stdout: '',
    })
  },
)
