import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FSWatcher, mkdtempSync, readFileSync, readdirSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { prettyFactory } from 'pino-pretty'
import { takeOptions } from './command.ts'

const usage = `Usage: npm run dev [-- --fresh | --mock]   runs the server of this folder, and prints type errors.

Saving the contract runs npm run generate. Saving a source file restarts the server. While the contract is broken, or the
server cannot start, the last good server keeps running.

  --fresh  uses a new, empty database, and removes it at the end
  --mock   serves the contract without handlers: its examples, and what clients post`
const { mock: isMock, fresh: isFresh } = takeOptions(usage, {
  mock: { type: 'boolean', default: false },
  fresh: { type: 'boolean', default: false },
})

/** Editors save in several steps; changes within this time count as one. */
const settleMilliseconds = 60
/** How long a process may take to end before it is killed. */
const graceMilliseconds = 1500

const cli = 'node_modules/fastify-contract-cli/src/cli.ts'

/** The command of a server, on a port. */
function serverCommand(port = '3000'): string[] {
  return isMock ? [cli, 'mock', 'openapi.yaml', '--port', port] : ['src/main.ts']
}

/** Lets the mock answer where a handler is `notImplemented`. */
const withMock = ['--import', 'fastify-contract-cli/dev']

/** A new folder with the database of a server, as its environment variable. */
function makeDatabase(): { folder: string; environment: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), 'dev-'))
  return { folder, environment: { DATABASE_URL: `sqlite:${join(folder, 'plants.db')}` } }
}

const fresh = isFresh ? makeDatabase() : undefined
process.on('exit', () => {
  if (fresh !== undefined) rmSync(fresh.folder, { recursive: true })
})

const running = new Set<ChildProcess>()
let server: ChildProcess | undefined
let typeCheck: ChildProcess | undefined
let hasTypeErrors = false
let isClosing = false

/** Starts a process in its own group, so that Ctrl-C reaches only this process, which then ends the others. */
function start(
  command: string[],
  output: 'inherit' | 'pipe',
  environment: NodeJS.ProcessEnv = {},
  errors: 'inherit' | 'pipe' = 'inherit',
): ChildProcess {
  const child = spawn(process.execPath, command, {
    env: { SHUTDOWN_DELAY: '0', NODE_ENV: 'development', ...process.env, ...environment },
    stdio: ['ignore', output, errors],
    detached: true,
  })
  running.add(child)
  return child.on('exit', () => running.delete(child))
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || !running.has(child)) return
  // The group: a script and the compiler start processes of their own.
  const signal = (name: NodeJS.Signals) => process.kill(-child.pid!, name)
  const timer = setTimeout(() => signal('SIGKILL'), graceMilliseconds)
  signal('SIGTERM')
  await once(child, 'close')
  clearTimeout(timer)
}

async function canGenerate(): Promise<boolean> {
  // The npm script has the arguments.
  const child = spawn('npm', ['run', '--silent', 'generate'], { stdio: 'inherit' })
  return (await once(child, 'exit'))[0] === 0
}

/** Whether a server starts, on a free port and an empty database. Prints its errors, unless a save has come since. */
async function canStart(): Promise<boolean> {
  const { folder, environment } = makeDatabase()
  const variables = {
    PORT: '0',
    // The next start logs the same warnings.
    LOG_LEVEL: 'silent',
    METRICS_PORT: undefined,
    ...environment,
  }
  const candidate = start(serverCommand('0'), 'pipe', variables, 'pipe')
  const errors = text(candidate.stderr!)
  const welcome = once(candidate.stdout!, 'data').then(() => true)
  const hasStarted = await Promise.race([welcome, once(candidate, 'exit').then(() => false)])
  await end(candidate)
  rmSync(folder, { recursive: true })
  if (!isOutdated()) process.stdout.write(await errors)
  return hasStarted
}

/** Makes a line of the server's log, which is JSON, readable for a person. */
const prettify = prettyFactory({ ignore: 'pid,hostname' })

async function replaceServer(): Promise<void> {
  await end(server)
  if (isClosing) return
  const command = [...(isMock ? [] : withMock), ...serverCommand(process.env['PORT'])]
  server = start(command, 'pipe', fresh?.environment, 'pipe')
  server.stdout!.pipe(process.stdout, { end: false })
  let isStarting = true
  createInterface(server.stderr!).on('line', (line) => {
    if (!isStarting || !isOutdated()) process.stdout.write(prettify(line))
  })
  // With `close` the reason why it ended has been printed.
  await Promise.race([once(server.stdout!, 'data'), once(server, 'close')])
  isStarting = false
}

/**
 * Checks the types of all files. The compiler's own watch mode misses saves of files directly in an included folder
 * (seen in TypeScript 7.0.2). The next save ends the check.
 *
 * @returns the errors; undefined if the check was ended
 */
async function checkTypes(): Promise<string[] | undefined> {
  if (isClosing) return undefined
  // The npm script has the compiler and its arguments.
  const child = start(['--run', 'typecheck', '--', '--pretty', 'false'], 'pipe')
  typeCheck = child
  const lines: string[] = []
  createInterface(child.stdout!).on('line', (line) => lines.push(line))
  await once(child, 'close')
  // A signal has ended it if there is one.
  return child.signalCode === null ? lines : undefined
}

/** Prints the type errors after the lines of the server's start, so that they stay in view. */
async function reportTypes(checked: Promise<string[] | undefined>): Promise<void> {
  const errors = await checked
  if (errors === undefined) return
  if (errors.length > 0) console.log(`dev: the code has type errors:\n${errors.join('\n')}`)
  else if (hasTypeErrors) console.log('dev: the type errors are gone')
  hasTypeErrors = errors.length > 0
}

let saved: { contract: boolean } | undefined = { contract: true }
let isHandling = false

/** Whether a file was saved since the last save that is handled, so that what is found may no longer hold. */
function isOutdated(): boolean {
  return saved !== undefined
}

async function handle(): Promise<void> {
  if (isHandling || saved === undefined || isClosing) return
  isHandling = true
  const { contract } = saved
  saved = undefined
  watchFolders()
  // Errors of a check that has begun before would follow those of the contract.
  await end(typeCheck)
  const isGenerated = !contract || (await canGenerate())
  const types = isGenerated ? checkTypes() : Promise.resolve(undefined)
  const broken = !isGenerated ? 'the contract is broken' : (await canStart()) ? undefined : 'the server does not start'
  if (contract) watchFolders()
  if (broken === undefined && !isOutdated()) await replaceServer()
  const isRunning = server !== undefined && running.has(server)
  if ((broken !== undefined || !isRunning) && !isOutdated()) {
    const now = isRunning ? 'the last good server keeps running' : 'no server runs; save a file to try again'
    console.log(`dev: ${broken ?? 'the server has ended'}; ${now}`)
  }
  void reportTypes(types)
  isHandling = false
  await handle()
}

let timer: NodeJS.Timeout | undefined
function note(contract: boolean): void {
  saved = { contract: contract || saved?.contract === true }
  clearTimeout(timer)
  timer = setTimeout(() => void handle(), settleMilliseconds)
}

let watchers: FSWatcher[] = []

/** Watches the folders of the code and of the contract's files again, because they may have changed. */
function watchFolders(): void {
  const [, sources = '{}'] = /^  sources: (.*),$/m.exec(readFileSync('generated/contract.ts', 'utf8')) ?? []
  const contract = Object.keys(JSON.parse(sources) as object).map((file) => join('generated', file))
  const inSource = readdirSync('src', { recursive: true, withFileTypes: true })
  const source = ['src', ...inSource.flatMap((each) => (each.isDirectory() ? join(each.parentPath, each.name) : []))]
  // Many editors save by renaming a new file into place, so this watches folders, not files.
  const folders = new Set([...contract.map((file) => dirname(file)), ...source])
  const before = watchers
  watchers = [...folders].map((folder) =>
    watch(folder, (_event, name) => {
      const isOfContract = contract.includes(join(folder, name ?? ''))
      if (isOfContract || source.includes(folder)) note(isOfContract)
    }),
  )
  for (const watcher of before) watcher.close()
}

watchFolders()
void handle()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    isClosing = true
    void Promise.all([...running].map(end)).then(() => process.exit(0))
  })
}
