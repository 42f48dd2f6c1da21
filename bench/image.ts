import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { UsageError, readArguments } from '../scripts/command.ts'
import { ask, create } from './servers/clients.ts'
import { startProgram } from './servers/program.ts'
import { freePort, projectFolder } from './servers/server-process.ts'

const usage = `Usage: npm run bench -- image
         builds the image of the Dockerfile without a container engine, as root, with buildah on a Debian that mmdebstrap
         makes and that has this Node; starts it, sends it a request, and stops it; takes 2 GiB of disk and the network`

/** A Debian with this Node, which replaces the base of the Dockerfile. */
const baseName = 'localhost/plant-store-base'

const baseFile = `FROM scratch
ADD root.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY home /root
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --create-home node
`

export async function run(args: string[]): Promise<void> {
  readArguments(usage, { args, options: {} })
  if (process.getuid?.() !== 0)
    throw new UsageError('only root can build the image without an engine: run this as root')
  for (const tool of ['buildah', 'mmdebstrap']) {
    await execute(tool, ['--version']).catch((error: unknown) => {
      const remedy = 'apt-get install --no-install-recommends buildah mmdebstrap'
      throw new UsageError(`${tool} does not run: ${remedy}`, { cause: error })
    })
  }
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-image-'))
  try {
    await makeBase(folder)
    const started = performance.now()
    // Docker's format has the health check.
    await buildah(
      folder,
      'build',
      '--isolation=chroot',
      '--pull-never',
      `--from=${baseName}`,
      '--format=docker',
      '-t',
      'plant-store',
      projectFolder,
    )
    report('built', `the image in ${seconds(started)}`)
    await useImage(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function report(what: string, text: string): void {
  console.log(`${what.padEnd(9)} ${text}`)
}

function seconds(since: number): string {
  return `${String(Math.round((performance.now() - since) / 1_000))} s`
}

const runFile = promisify(execFile)

/** Runs a program to its end. @returns what it prints @throws Error with that, when it fails */
async function execute(program: string, args: string[]): Promise<string> {
  try {
    return (await runFile(program, args, { maxBuffer: 2 ** 26 })).stdout
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    throw new UsageError(`${message.split('\n', 1).join()}\n${`${stdout}${stderr}`.slice(-4_000)}`, { cause: error })
  }
}

/** The arguments that keep all of buildah's files in a folder, on any file system. */
function storage(folder: string): string[] {
  return ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver=vfs']
}

function buildah(folder: string, command: string, ...args: string[]): Promise<string> {
  return execute('buildah', [...storage(folder), command, ...args])
}

/** Makes an image of Debian with this Node and its npm. npm gets the settings of this user, and the certificates. */
async function makeBase(folder: string): Promise<void> {
  const started = performance.now()
  const context = join(folder, 'base')
  await mkdir(join(context, 'home'), { recursive: true })
  await execute('mmdebstrap', ['--variant=minbase', '--include=libstdc++6', 'bookworm', join(context, 'root.tar')])
  await copyFile(process.execPath, join(context, 'node'))
  // The program is bin/npm-cli.js in the folder of npm.
  const npm = await realpath((await execute('sh', ['-c', 'command -v npm'])).trim())
  await cp(dirname(dirname(npm)), join(context, 'npm'), { recursive: true, dereference: true })
  const settings = (await execute('npm', ['config', 'get', 'userconfig'])).trim()
  const certificates = process.env['NODE_EXTRA_CA_CERTS']
  if (certificates !== undefined) await copyFile(certificates, join(context, 'home/certificates'))
  await writeFile(
    join(context, 'home/.npmrc'),
    `${existsSync(settings) ? await readFile(settings, 'utf8') : ''}
${certificates === undefined ? '' : 'cafile=/root/certificates'}
`,
  )
  await writeFile(join(context, 'Containerfile'), baseFile)
  await buildah(folder, 'build', '--isolation=chroot', '-f', join(context, 'Containerfile'), '-t', baseName, context)
  report('base', `Debian with Node ${process.versions.node} in ${seconds(started)}`)
}

/** What of an image's configuration is used here. */
interface ImageConfig {
  Cmd: string[]
  User: string
  Healthcheck: { Test: string[] }
}

/** Starts the image, sends it requests, and stops it. @throws Error when anything is not as it has to be */
async function useImage(folder: string): Promise<void> {
  const container = (await buildah(folder, 'from', '--pull-never', 'plant-store')).trim()
  const inspected = await buildah(folder, 'inspect', '--type=image', 'plant-store')
  const { config } = (JSON.parse(inspected) as { Docker: { config: ImageConfig } }).Docker
  const port = await freePort()
  const inContainer = (command: string[], environment: string[] = []) => [
    ...storage(folder),
    'run',
    '--isolation=chroot',
    ...['HOST=127.0.0.1', `PORT=${String(port)}`, ...environment].map((variable) => `--env=${variable}`),
    container,
    ...command,
  ]
  const runIn = (...command: string[]) => execute('buildah', inContainer(command))
  const node = (code: string) => runIn('node', '-e', code)
  const checkHealth = () => runIn(...config.Healthcheck.Test.slice(1))

  await assertFails(node(`require('node:fs').writeFileSync('src/main.ts', '')`), 'the code can be written by its user')
  await assertFails(node(`require('typescript')`), 'a development dependency is installed')
  const forge = node(`require('node:fs').writeFileSync('.cache/compiled/forged', '')`)
  await assertFails(forge, 'the compiled code can be written by its user')

  // Node prints what it finds in its compile cache.
  const listening = /"pid":(\d+).*"listening at /
  const { printed, ended } = await startProgram(
    ['buildah', ...inContainer(config.Cmd, ['NODE_DEBUG_NATIVE=COMPILE_CACHE'])],
    {},
    (text) => listening.test(text),
  )
  const modules = countModules(printed())
  report('started', `as the user ${config.User}, from the compile cache of the build: ${String(modules)} modules`)
  const token = (await runIn('node', 'scripts/token.ts', 'issue', 'me')).trim()
  const { status } = await ask(port, token, create(54))
  if (status !== 200) throw new Error(`a create was answered ${String(status)}`)
  await checkHealth()
  // buildah itself would kill the server.
  process.kill(Number(listening.exec(printed())![1]), 'SIGTERM')
  const code = await ended
  if (code !== 0) throw new Error(`the server ended with ${String(code)} after SIGTERM:\n${printed()}`)
  await assertFails(checkHealth(), 'the health check succeeds on a server that has stopped')
  report('served', 'a create, and the health check; stopped with 0 after SIGTERM')
}

/** @returns how many modules came from the compile cache @throws Error when others did not */
function countModules(printed: string): number {
  const count = (line: RegExp) => [...printed.matchAll(line)].length
  const accepted = count(/ cache for .* was accepted/g)
  const others = count(/ cache for .* was /g) - accepted
  if (accepted === 0 || others > 0) throw new Error(`${String(others)} modules were not in the compile cache`)
  return accepted
}

async function assertFails(running: Promise<string>, otherwise: string): Promise<void> {
  const hasFailed = await running.then(
    () => false,
    () => true,
  )
  if (!hasFailed) throw new Error(otherwise)
}
