import { chmod, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readImage } from './verify-image/read-image.ts'
import { runAs, serveAs } from './verify-image/run-as.ts'

/** The user and the group `nobody` of Debian. */
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
    const data = join(folder, 'data')
    await mkdir(app)
    for (const { from, to } of image.copies) {
      await mkdir(dirname(join(app, to)), { recursive: true })
      await cp(join(root, from), join(app, to), { recursive: true })
    }
    // The user may have no access to this Node, so it is copied.
    const node = join(folder, 'node')
    await cp(process.execPath, node)
    await runAs(0, app, ['npm', ...image.install], process.env)
    console.log(`installed   ${image.install.join(' ')}`)

    const user = { uid: nobody, gid: nobody }
    await chmod(folder, 0o755)
    await mkdir(data, { mode: 0o700 })
    await runAs(0, folder, ['chown', String(nobody), data], process.env)
    const environment = {
      ...image.environment,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: `sqlite:${join(data, 'plants.db')}`,
      PATH: dirname(node),
    }
    const asUser = (parameters: string[], more: Record<string, string> = {}) =>
      runAs(user.uid, app, [node, ...parameters], { ...environment, ...more })

    await assertFails(
      asUser(['-e', `require('node:fs').writeFileSync('src/main.ts', '')`]),
      'the code can be written by its user',
    )
    await assertFails(asUser(['-e', `require('typescript')`]), 'a development dependency is installed')
    const server = await serveAs(user.uid, app, [node, ...image.command], environment)
    try {
      const token = (await asUser(['scripts/operate/token.ts', 'issue', 'me'])).trim()
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const created = await fetch(`${server.origin}/plants`, {
        method: 'POST',
        headers,
        body: '{"id":54,"name":"Monstera deliciosa"}',
      })
      if (created.status !== 200)
        throw new Error(`a create was answered ${String(created.status)}: ${await created.text()}`)
      await asUser(image.healthcheck, { PORT: new URL(server.origin).port })
    } finally {
      await server.stop()
    }
    await assertFails(
      asUser(image.healthcheck, { PORT: new URL(server.origin).port }),
      'the health check succeeds on a server that has stopped',
    )
    console.log(`served      a create, and the health check, as user ${String(nobody)}; stopped with 0 after SIGTERM`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function assertFails(running: Promise<string>, otherwise: string): Promise<void> {
  const hasFailed = await running.then(
    () => false,
    () => true,
  )
  if (!hasFailed) throw new Error(otherwise)
}

try {
  await verify()
} catch (error) {
  console.error(`the image was not verified: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
