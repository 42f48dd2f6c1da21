import { chmod, chown, cp, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { takeNoArguments } from '../command.ts'
import { type Image, readImage } from './verify-image/read-image.ts'
import { runAs, serveAs } from './verify-image/run-as.ts'

/** The number of the user `nobody` and the group `nogroup`, who own nothing. */
const nobody = 65_534

const root = join(import.meta.dirname, '../..')

/** Installs and serves as the image does, without a container engine. The server's user may write only its data. */
async function verify(): Promise<void> {
  if (process.getuid?.() !== 0)
    throw new Error('only root can start a server as another user: run this as root, or build the image')
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-image-'))
  try {
    const image = readImage(await readFile(join(root, 'Dockerfile'), 'utf8'))
    const app = join(folder, 'app')
    await install(image, app)
    await serve(image, folder, app)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function install(image: Image, app: string): Promise<void> {
  await mkdir(app)
  for (const { from, to } of image.copies) {
    await mkdir(dirname(join(app, to)), { recursive: true })
    await cp(join(root, from), join(app, to), { recursive: true })
  }
  await runAs(0, app, ['npm', ...image.install], process.env)
  console.log(`installed   ${image.install.join(' ')}`)
}

async function serve(image: Image, folder: string, app: string): Promise<void> {
  // The user may have no access to this Node, so it is copied.
  const node = join(folder, 'node')
  await cp(process.execPath, node)
  const data = join(folder, 'data')
  await chmod(folder, 0o755)
  await mkdir(data, { mode: 0o700 })
  await chown(data, nobody, nobody)
  const environment = {
    ...image.environment,
    NODE_COMPILE_CACHE: join(app, '.cache/compiled'),
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: `sqlite:${join(data, 'plants.db')}`,
    PATH: dirname(node),
  }
  const run = (parameters: string[], more: Record<string, string> = {}) =>
    runAs(nobody, app, [node, ...parameters], { ...environment, ...more })

  const write = run(['-e', `require('node:fs').writeFileSync('src/main.ts', '')`])
  await assertFails(write, 'the code can be written by its user')
  await assertFails(run(['-e', `require('typescript')`]), 'a development dependency is installed')
  await fillCompileCache([node, ...image.firstStart], app, {
    ...environment,
    METRICS_PORT: '0',
    DATABASE_URL: `sqlite:${join(data, 'first.db')}`,
  })
  const forge = run(['-e', `require('node:fs').writeFileSync('.cache/compiled/forged', '')`])
  await assertFails(forge, 'the compiled code can be written by its user')
  const server = await serveAs(nobody, app, [node, ...image.command], { ...environment, ...printsCache })
  const checkHealth = () => run(image.healthcheck, { PORT: new URL(server.origin).port })
  try {
    await create(server.origin, (await run(['scripts/operate/token.ts', 'issue', 'me'])).trim())
    await checkHealth()
  } finally {
    await server.stop()
  }
  const count = (line: RegExp) => [...server.printed().matchAll(line)].length
  const accepted = count(/ cache for .* was accepted/g)
  const others = count(/ cache for .* was /g) - accepted
  if (accepted === 0 || others > 0) throw new Error(`${String(others)} modules were not in the compile cache`)
  console.log(`started     from the compile cache that the build has filled: ${String(accepted)} modules`)
  await assertFails(checkHealth(), 'the health check succeeds on a server that has stopped')
  console.log(`served      a create, and the health check, as user ${String(nobody)}; stopped with 0 after SIGTERM`)
}

/** Has Node print what it finds in its compile cache. */
const printsCache = { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }

/** Starts and ends a server that may write the compile cache, which no later one may. */
async function fillCompileCache(command: string[], app: string, environment: Record<string, string>): Promise<void> {
  const cache = join(app, '.cache')
  await mkdir(cache)
  await chown(cache, nobody, nobody)
  const server = await serveAs(nobody, app, command, environment)
  await server.stop()
  for (const name of ['', ...(await readdir(cache, { recursive: true }))]) {
    await chown(join(cache, name), 0, 0)
    // Node writes the files for their owner alone.
    await chmod(join(cache, name), 0o755)
  }
}

async function create(origin: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = '{"id":54,"name":"Monstera deliciosa"}'
  const response = await fetch(`${origin}/plants`, { method: 'POST', headers, body })
  if (response.status !== 200)
    throw new Error(`a create was answered ${String(response.status)}: ${await response.text()}`)
}

async function assertFails(running: Promise<string>, otherwise: string): Promise<void> {
  const hasFailed = await running.then(
    () => false,
    () => true,
  )
  if (!hasFailed) throw new Error(otherwise)
}

takeNoArguments('Usage: npm run verify:image   as root, does what the image does without a container engine')
try {
  await verify()
} catch (error) {
  console.error(`the image was not verified: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
