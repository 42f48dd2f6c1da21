import { execFile } from 'node:child_process'
import { cp, readFile, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startProgram } from '../support/server/program.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { projectFolder } from '../support/server/start-process.ts'

test("npm start needs only the image's files and npm ci --omit=dev, without tools", async () => {
  const root = await temporaryFolder()
  const ignored = await readFile(join(projectFolder, '.dockerignore'), 'utf8')
  const ofImage = [...ignored.matchAll(/^!(.+)$/gm)].map(([, file = '']) => file)
  // With their manifest, npm would install the dependencies of the tools if they were a workspace.
  for (const file of [...ofImage, 'packages/fastify-contract-cli/package.json']) {
    await cp(join(projectFolder, file), join(root, file), { recursive: true })
  }
  const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
  const options = { cwd: root, env: { PATH, HOME: process.env['HOME'], PORT: '0', LOG_LEVEL: 'silent' } }
  await promisify(execFile)('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline'], options)
  const installed = await readdir(join(root, 'node_modules'))
  expect(installed.filter((name) => /typescript|redocly|contract-cli|vitest/.test(name))).toEqual([])

  const printed = /^Plant Store +(\S+)\n/m
  const server = await startProgram(['npm', 'start', '--silent'], options, (text) => printed.test(text))
  onTestFinished(() => server.end())
  expect((await fetch(`${printed.exec(server.stdout())?.[1] ?? ''}/readyz`)).status).toBe(200)
})
