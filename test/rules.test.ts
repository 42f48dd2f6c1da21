import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/**
 * Rules of the service that have one home in src: what a line looks like that states the rule, and the file that may
 * have it.
 */
const homes: [string, RegExp, string][] = [
  ['the Retry-After of a second', /'Retry-After': \d/, 'src/contract/errors.ts'],
  [
    'the default of a limit',
    /(?:headerBytes|bodyBytes|keepAliveMilliseconds|standstillMilliseconds|pipelinedRequests|unreadBytes): \d/,
    'src/config/limits.ts',
  ],
  ['the most writes that wait', /axQueued\w* = \d/, 'src/store/limits.ts'],
  ['the resolution of the last use', /astUsedResolution\w* = \d/, 'src/store/limits.ts'],
  ['how many plants a page has', /\bpageRows = \d/, 'src/store/pages.ts'],
  ['how many bytes a chunk has', /\bchunkBytes = \d/, 'src/store/pages.ts'],
  ['synchronous = FULL', /synchronous = FULL/, 'src/store/sqlite/open-database.ts'],
  ['the grammar of a JSON number', /\[eE\]/, 'src/json/integers.ts'],
  ['the headers of every response', /'cache-control': 'no-store'/, 'src/http/send.ts'],
  ['the media type of a body', /send the body as Content-Type/, 'src/http/content.ts'],
  ['the one line of a request', /request answered/, 'src/monitoring/request-log.ts'],
  ['who the caller is', /request\.caller = /, 'src/http/authentication.ts'],
  ['the adapter of openapi-backend', /from 'openapi-backend'/, 'src/contract/openapi-backend.ts'],
  ['the beginning of a token', /'plst_'/, 'src/auth/tokens.ts'],
]

const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}))

describe('a rule stands in one place:', () => {
  test.each(homes)('%s', (_rule, pattern, home) => {
    expect(sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file)).toEqual([home])
  })

  test('work is gathered by the Batcher alone', () => {
    const users = sources.filter(({ text }) => text.includes('new Batcher')).map(({ file }) => file)
    expect(users.length).toBeGreaterThanOrEqual(4)
    expect(users.every((file) => file.startsWith('src/store/'))).toBe(true)
  })
})

test('both stores have the same eight files', () => {
  const eight = ['errors', 'open-database', 'reads', 'rows', 'schema', 'statements', 'store', 'writes']
  for (const engine of ['sqlite', 'postgres']) {
    const files = globSync(`src/store/${engine}/*.ts`, { cwd: root }).map((file) =>
      file.split('/').at(-1)!.replace('.ts', ''),
    )
    expect(files).toEqual(expect.arrayContaining(eight))
  }
})

test('no line of src, scripts, bench and test is longer than 120 characters', () => {
  const files = globSync('{src,scripts,bench,test}/**/*.ts', {
    cwd: root,
    exclude: ['bench/node_modules/**'],
  })
  const long = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.length > 120 ? [`${file}:${String(index + 1)}`] : [])),
  )
  expect(long).toEqual([])
})
