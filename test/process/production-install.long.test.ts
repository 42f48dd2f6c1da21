import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/server/start-app.ts'
import { projectFolder } from '../support/server/start-process.ts'

test("npm start needs only the image's files and npm ci --omit=dev, without tools", { timeout: 120_000 }, async () => {
  const root = await temporaryFolder()
  const ignored = await readFile(join(projectFolder, '.dockerignore'), 'utf8')
  const ofImage = [...ignored.matchAll(/^!(.+)$/gm)].map(([, file = '']) => file)
  // Without this manifest, npm would not know that the tools are not a workspace.
  for (const file of [...ofImage, 'packages/fastify-contract-cli/package.json']) {
    await cp(join(projectFolder, file), join(root, file), { recursive: true })
  }
  const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
  const options = { cwd: root, env: { PATH, HOME: process.env['HOME'], PORT: '0', LOG_LEVEL: 'silent' } }
  await promisify(execFile)('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline'], options)
  const installed = await readdir(join(root, 'node_modules'))
  expect(installed.filter((name) => /typescript|redocly|contract-cli|vitest/.test(name))).toEqual([])

  const server = spawn('npm', ['start', '--silent'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    server.kill()
    await once(server, 'close')
  })
  for await (const line of createInterface({ input: server.stdout })) {
    const [, origin] = /^Plant Store\s+(\S+)/.exec(line) ?? []
    if (origin === undefined) continue
    expect((await fetch(`${origin}/readyz`)).status).toBe(200)
    return
  }
  throw new Error('the server ended before it printed its address')
})
