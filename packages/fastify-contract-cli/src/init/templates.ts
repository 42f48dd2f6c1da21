import { type ContractOperation, generateCommand } from 'fastify-contract/document'
import type { SecurityScheme, requiredSchemesOf } from 'fastify-contract/security'
import { version } from '../manifest.ts'
import { secretVariable } from './secret-variable.ts'
import { comment, propertyName, quoted } from './typescript.ts'

/** The exact versions of what a new service installs. */
export const versions = {
  dependencies: { fastify: '5.12.8', pino: '10.4.0' },
  devDependencies: { '@types/node': '26.6.6', typescript: '5.9.3' },
}

/** What a new service is made of. */
export interface Service {
  name: string
  /** The file name of the contract. */
  contract: string
  operations: readonly ContractOperation[]
  schemes: ReturnType<typeof requiredSchemesOf>
  /** Whether it has src/failure-form.ts. */
  hasForm: boolean
  /** Handlers to copy. */
  examples: readonly string[]
  /** Whether the contract has no warnings, so that each new one can be refused. */
  isStrict: boolean
}

/** Makes Node take the place of the shell, so that a signal to npm reaches it. The shell of Windows has no such word. */
const exec = process.platform === 'win32' ? '' : 'exec '

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

/** The name of a tarball as `npm pack` writes it. Until the npm registry has the packages, vendor/ holds theirs. */
export const tarballOf = (name: string) => `${name}-${version}.tgz`

export function packageJson({ name, contract, isStrict }: Service): string {
  const generate = `${generateCommand(contract, 'generated')}${isStrict ? ' --strict' : ''}`
  return json({
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: {
      start: `${exec}node src/server.ts`,
      dev: `${exec}node src/dev.ts`,
      generate,
      check: `${generate} --check && tsc`,
      test: 'npm run -s check && node --test',
    },
    dependencies: { ...versions.dependencies, 'fastify-contract': `file:vendor/${tarballOf('fastify-contract')}` },
    devDependencies: {
      ...versions.devDependencies,
      'fastify-contract-cli': `file:vendor/${tarballOf('fastify-contract-cli')}`,
    },
  })
}

export const tsconfig = json({
  compilerOptions: {
    module: 'nodenext',
    target: 'esnext',
    types: ['node'],
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  include: ['src', 'generated', 'test'],
})

/** The last line counts where an ignore file of a parent folder, or of the user, has `*.tgz`. Many have. */
export const gitignore = `node_modules/
junit.xml
!vendor/*.tgz
`

/** Git for Windows changes line ends where nothing forbids it, and generated/ has a hash of the contract. */
export const gitattributes = '* -text\n'

export const vendor = `# Packages that are not in the npm registry yet

package.json names two tarballs in this folder: ${tarballOf('fastify-contract')} and
${tarballOf('fastify-contract-cli')}. Copy them from where \`npm pack\` has written them, and commit them.

To replace them, also by others of the same version, copy those and run:

    npm install ./vendor/${tarballOf('fastify-contract')} ./vendor/${tarballOf('fastify-contract-cli')}

Once the registry has the packages, run this, then remove the folder:

    npm install fastify-contract@${version} fastify-contract-cli@${version}
`

/** `npm test` passes the options to Node (nodejs.org/api/test.html, "Test reporters"). */
export const workflow = `# Checks generated/ and the types, and tests. The tests need no secrets: they set their own.
# GitHub reads this file at the root of a repository only.
name: test
on: [push, pull_request]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - uses: actions/setup-node@v7
        with:
          node-version: 24
          cache: npm
      - run: npm ci
      - run: >-
          npm test --
          --test-reporter=spec --test-reporter-destination=stdout
          --test-reporter=junit --test-reporter-destination=junit.xml
      - uses: actions/upload-artifact@v7
        if: \${{ !cancelled() }}
        with:
          name: junit
          path: junit.xml
`

/** A line for each operation, with its route and summary. */
export function handlers({ operations, schemes, examples }: Service): string {
  const lines = operations.map(({ id, method, path, object: { summary = '' } }) => {
    const route = `${method.toUpperCase()} ${path}`
    const about = [id === route ? '' : route, String(summary)].filter((part) => part !== '').join(': ')
    return `  ${propertyName(id)}: notImplemented,${about === '' ? '' : ` // ${comment(about)}`}\n`
  })
  const exampleText =
    examples.length === 0
      ? ''
      : ` Such as:\n *${examples.map((line) => `\n *     ${line.replaceAll('*/', '*\\/')}`).join('')}`
  const [found, auth, types] =
    schemes.size === 0
      ? ['', '', '']
      : ['type Found, ', "import type { auth } from './auth.ts'\n", '<unknown, Found<typeof auth>>']
  const names = `${found}${lines.length === 0 ? '' : 'notImplemented'}`.replace(/, $/, '')
  return `${names === '' ? '' : `import { ${names} } from 'fastify-contract'\n`}import type { Handlers } from '../generated/contract.ts'
${auth}
/**
 * The handler of each operation. It gets the valid request, and returns a declared status with its body.${exampleText}
 */
export const handlers: Handlers${types} = {
${lines.join('')}}
`
}

/** What the secret of a scheme is called. */
const secretOf: Record<SecurityScheme['kind'], string> = {
  bearer: 'token',
  jwt: 'token',
  basic: 'password',
  apiKey: 'key',
  http: 'credential',
}

/** A verifier for each security scheme, of a secret in an environment variable. */
export function auth({ schemes }: Service): string {
  const variables = variablesOf(schemes)
  const lines = [...schemes].map(([name, { kind, asksForScopes }]) => {
    const [given, secret, user] =
      kind === 'basic' ? ['{ user, password }', 'password', 'user'] : ['text', 'text', "user: 'me'"]
    const found = `{ ${user}${asksForScopes ? ", scopes: 'all' as const" : ''} }`
    return `  ${propertyName(name)}: (${given}) => isSecret(${secret}, ${quoted(variables.get(name) ?? '')}) ? ${found} : undefined,\n`
  })
  const secrets = [...schemes].map(([name, { kind }]) => `${variables.get(name) ?? ''}: ${quoted(secretOf[kind])}`)
  return `import { hash } from 'node:crypto'
import type { Auth } from '../generated/contract.ts'

/** What the environment variables of secrets hold. */
const secrets = { ${secrets.join(', ')} }

/**
 * Who sends the credentials of a security scheme; undefined for nobody. Handlers get it as context.auth. Replace the
 * secrets in environment variables by your own check.
 */
export const auth = {
${lines.join('')}} satisfies Auth

/** Whether a text is the secret in an environment variable. Hashes reveal nothing by the time that a comparison takes. */
function isSecret(text: string, variable: keyof typeof secrets): boolean {
  const secret = process.env[variable] ?? ''
  return secret.trim() !== '' && hash('sha256', text) === hash('sha256', secret)
}

/** Why the service cannot start; undefined if each secret is set. */
export function secretsProblem(): string | undefined {
  const unset = Object.entries(secrets).filter(([variable]) => (process.env[variable] ?? '').trim() === '')
  const names = unset.map(([variable, what]) => \`\${variable} (a \${what})\`).join(', ')
  return names === '' ? undefined : \`not set: \${names}; set what callers must send, or write your own check in src/auth.ts\`
}
`
}

/** The environment variable with the secret of each scheme, by its name. */
export function variablesOf(schemes: Service['schemes']): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  return new Map([...schemes.keys()].map((name) => [name, secretVariable('AUTH', name, taken)]))
}

export function app({ schemes, hasForm }: Service): string {
  const parts = [...(schemes.size > 0 ? ['auth'] : []), ...(hasForm ? ['failureForm'] : []), 'handlers']
  const fileOf = (part: string) => (part === 'failureForm' ? 'failure-form' : part)
  const imports = parts.map((part) => `import { ${part} } from './${fileOf(part)}.ts'\n`)
  return `import type { FastifyBaseLogger } from 'fastify'
import { serve } from 'fastify-contract'
import { contract } from '../generated/contract.ts'
${imports.join('')}
/** Builds the server, ready to listen. */
export function buildApp(logger?: FastifyBaseLogger) {
  return serve(contract, { ${[...parts, 'logger'].join(', ')} })
}
`
}

export function server({ schemes }: Service): string {
  const [imported, check] =
    schemes.size > 0
      ? [
          "import { secretsProblem } from './auth.ts'\n",
          `const problem = secretsProblem()
if (problem !== undefined) {
  console.error(problem)
  process.exit(1)
}
`,
        ]
      : ['', '']
  return `import { UnservableContract } from 'fastify-contract'
import { basePathsOf, documentOf } from 'fastify-contract/document'
import { pino } from 'pino'
import { contract } from '../generated/contract.ts'
import { buildApp } from './app.ts'
${imported}
${check}const port = process.env['PORT'] ?? '3000'
try {
  const app = await buildApp(pino({ level: 'warn' }))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void app.close().then(() => process.exit(0)))
  }
  const origin = await app.listen({ port: Number(port) })
  const urls = basePathsOf(documentOf(contract)).map((path) => origin + path)
  console.log(\`Service  \${urls.join(', ')}\\nDocs     \${origin}/docs\`)
} catch (error) {
  const code = String(Object(error).code)
  const isOfPort = ['EADDRINUSE', 'EACCES', 'ERR_SOCKET_BAD_PORT'].includes(code)
  const reason = isOfPort ? \`port \${port} cannot be used (\${code}); set PORT to another\` : error
  console.error(error instanceof UnservableContract ? error.message : reason)
  process.exit(1)
}
`
}

export const dev = `import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The files of the contract. A save of one generates anew; a save in src starts the server again. */
let files: string[] = []
/** Whether these are all: what a refused contract refers to is not known. */
let isComplete = false

let server: ChildProcess | undefined
let saved: 'nothing' | 'code' | 'contract' = 'contract'
let isBusy = false

async function handleSaves(): Promise<void> {
  if (isBusy) return
  isBusy = true
  while (saved !== 'nothing') {
    const isContract = saved === 'contract'
    saved = 'nothing'
    watchFolders()
    if (!isContract || (await generate())) await restart()
  }
  isBusy = false
}

async function generate(): Promise<boolean> {
  isComplete = false
  if (spawnSync('npm run -s generate', { shell: true, stdio: 'inherit' }).status !== 0) return false
  // Node loads each URL once.
  const url = \`\${pathToFileURL('generated/contract.ts').href}?\${Date.now()}\`
  const { contract } = (await import(url)) as typeof import('../generated/contract.ts')
  files = Object.keys(contract.sources ?? {}).map((file) => join('generated', file))
  isComplete = true
  watchFolders()
  return true
}

async function stop(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode === null && child.kill()) await once(child, 'exit')
}

/** The mock answers where a handler is notImplemented. */
async function restart(): Promise<void> {
  await stop(server)
  server = spawn(process.execPath, ['--import', 'fastify-contract-cli/dev', 'src/server.ts'], { stdio: 'inherit' })
}

let watchers: FSWatcher[] = []
let timer: NodeJS.Timeout | undefined

/** The paths of what is not watched. */
const unwatched = /^generated$|(?:^|[\\\\/])(?:node_modules|\\.[^\\\\/]*)$/
const folderOrContract = /^[^.]+$|\\.(?:ya?ml|json)$/i

/** A folder and those inside. */
function foldersOf(folder: string): string[] {
  try {
    const inside = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory())
    const paths = inside.map(({ name }) => join(folder, name)).filter((path) => !unwatched.test(path))
    return [folder, ...paths.flatMap(foldersOf)]
  } catch {
    // It is gone, or somebody else's.
    return []
  }
}

/** Watches folders, because many editors replace a file that they save, and again for new folders. */
function watchFolders(): void {
  const source = foldersOf('src')
  const before = watchers
  watchers = [...new Set([...foldersOf('.'), ...files.map((file) => dirname(file))])].map((folder) =>
    watch(folder, (_event, name) => {
      const path = join(folder, name ?? '')
      const mayBe = !isComplete && folderOrContract.test(name ?? '') && !unwatched.test(path)
      const isContract = mayBe || files.includes(path)
      if (!isContract && !source.includes(folder)) return
      if (saved !== 'contract') saved = isContract ? 'contract' : 'code'
      clearTimeout(timer)
      timer = setTimeout(() => void handleSaves(), 50)
    }),
  )
  for (const watcher of before) watcher.close()
}

/** Prints type errors after each save. */
const compiler = [fileURLToPath(import.meta.resolve('typescript/bin/tsc')), '--watch', '--preserveWatchOutput']
const types = spawn(process.execPath, compiler, { stdio: 'inherit' })

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.once(signal, () => void Promise.all([server, types].map(stop)).then(() => process.exit()))
}
void handleSaves()
`

export function test({ schemes }: Service): string {
  const credentialsOf = ({ kind }: SecurityScheme) =>
    kind === 'basic'
      ? `Basic ${Buffer.from('me:secret').toString('base64')}`
      : secretOf[kind] === 'token'
        ? 'Bearer secret'
        : 'secret'
  const credentials = [...schemes].map(([name, scheme]) => `${propertyName(name)}: ${quoted(credentialsOf(scheme))}`)
  const secrets = [...variablesOf(schemes).values()].map((variable) => `process.env[${quoted(variable)}] = 'secret'\n`)
  const auth = credentials.length === 0 ? '' : `, auth: { ${credentials.join(', ')} }`
  return `import { after, test } from 'node:test'
import { documentOf } from 'fastify-contract/document'
import { printable } from 'fastify-contract/json'
import { readContract, test as testServer } from 'fastify-contract-cli/suite'
import { contract } from '../generated/contract.ts'
import { buildApp } from '../src/app.ts'

${secrets.join('')}${secrets.length === 0 ? '' : '\n'}const app = await buildApp()
after(() => app.close())

/** A report in XML cannot have control characters, which the test sends. */
const shown = (text: string) => text.split('\\n').map(printable).join('\\n')

/** What needs a handler that is not written yet is skipped. */
test('the server keeps its contract', async (context) => {
  const tested = readContract(documentOf(contract))
  for await (const result of testServer(tested, { app${auth} })) {
    await context.test(printable(result.title), (each) => {
      if (result.verdict === 'left out') each.skip(printable([result.because, result.reason].join(': ')))
      if (result.verdict === 'not judged') throw new Error(shown(result.reason))
      if (result.verdict === 'fault') {
        const lines = result.faults.flatMap(({ problem, counterexample }) => [problem, counterexample?.shown])
        throw new Error(shown(lines.join('\\n')))
      }
    })
  }
})
`
}
