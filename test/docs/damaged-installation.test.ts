import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/server/start-app.ts'
import { nodeBinary, projectFolder, startProcess } from '../support/server/start-process.ts'

/** Links the content of a folder of the project into the same folder of a copy, but for one name. */
function linkContent(copy: string, folder: string, except: string): void {
  mkdirSync(join(copy, folder))
  for (const name of readdirSync(join(projectFolder, folder)))
    if (name !== except) symlinkSync(join(projectFolder, folder, name), join(copy, folder, name))
}

test('the docs page is served as soon as the files of its packages are back', async () => {
  const copy = await temporaryFolder()
  linkContent(copy, 'node_modules', '@fastify')
  linkContent(copy, 'node_modules/@fastify', 'swagger-ui')
  const packageFolder = 'node_modules/@fastify/swagger-ui'
  for (const name of ['src', 'generated', 'openapi.yaml', 'package.json', packageFolder])
    cpSync(join(projectFolder, name), join(copy, name), { recursive: true })
  const environment = { DATABASE_URL: `sqlite:${join(copy, 'plants.db')}` }
  const server = await startProcess(environment, [nodeBinary, join(copy, 'src/main.ts')])
  onTestFinished(() => server.end())
  const visit = async () => {
    const responses = ['/docs', '/docs/static/swagger-ui.css'].map((path) => fetch(server.origin + path))
    return (await Promise.all(responses)).map(({ status }) => status)
  }
  const files = join(copy, packageFolder, 'static')
  renameSync(files, `${files}.away`)
  expect(await visit()).toEqual([500, 500])
  renameSync(`${files}.away`, files)
  expect(await visit()).toEqual([200, 200])
})
