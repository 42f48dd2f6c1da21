import { exec } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type RunningServer, servedDatabase } from './support/server/served-database.ts'
import { temporaryFolder } from './support/server/start-app.ts'
import { nodeBinary, projectFolder } from './support/server/start-process.ts'

/** The files of docs/clients.md: code blocks that start with their name. */
const page = readFileSync(join(projectFolder, 'docs/clients.md'), 'utf8')
const blocks = [...page.matchAll(/^```(?:ts|json)\n\/\/ (\S+\.(?:ts|json))\n([^]*?)^```$/gm)]
const [, install = ''] = /^```sh\n(npm install .*)\n```$/m.exec(page) ?? []

/** Ids that one double cannot tell apart, and the largest. */
const near = ['9007199254740992', '9007199254740993', '9007199254740994', '9223372036854775806', '9223372036854775807']
const deleted = ['9007199254740993', '9223372036854775807']

/** Creates a plant for each id, deletes some, and prints the statuses and the remaining names. */
const program = `
import './exact-client.ts'
import { createPlant, deletePlant, listPlants } from './client/index.ts'

const statuses: (number | undefined)[] = []
for (const id of [${near.map((id) => `${id}n`).join(', ')}]) {
  const { response } = await createPlant({ body: { id, name: String(id) } })
  statuses.push(response?.status)
}
for (const id of [${deleted.map((id) => `${id}n`).join(', ')}]) {
  const { response } = await deletePlant({ path: { id } })
  statuses.push(response?.status)
}
const { data } = await listPlants({ query: { limit: 9 } })
console.log(JSON.stringify({ statuses, names: data?.map(({ name }) => name) }))
`

/** Makes a project of the page's files for a server, as a reader does, and generates its client. */
async function generateClient({ origin }: RunningServer) {
  const folder = await temporaryFolder()
  const files: [string, string][] = [
    ...blocks.map(([, name = '', code = '']): [string, string] => [
      name,
      code.replaceAll('http://127.0.0.1:3000', origin),
    ]),
    ['program.ts', program],
    ['package.json', '{ "type": "module" }'],
  ]
  for (const [name, text] of files) await writeFile(join(folder, name), text)
  const run = async (command: string, environment = {}) => {
    const options = { cwd: folder, env: { ...process.env, ...environment } }
    return promisify(exec)(command, options).catch((error: unknown) => error as { stdout: string; stderr: string })
  }
  await run(install)
  await run('npx openapi-ts')
  return run
}

test('the client of docs/clients.md compiles and keeps ids exact', async () => {
  const { token, serve } = await servedDatabase()
  const server = await serve()
  const run = await generateClient(server)
  expect((await run('npx tsc')).stdout).toBe('')

  const { stdout, stderr } = await run(`${nodeBinary} program.ts`, { TOKEN: token })
  expect(stderr).toBe('')
  const left = near.filter((id) => !deleted.includes(id))
  expect(JSON.parse(stdout)).toEqual({ statuses: [200, 200, 200, 200, 200, 204, 204], names: left })
  const removals = await Promise.all(near.map((id) => server.send('DELETE', `/plants/${id}`)))
  expect(removals.map(({ status }) => status)).toEqual([204, 404, 204, 204, 404])

  expect(await run(`${nodeBinary} plants.ts`, { TOKEN: token })).toMatchObject({
    stdout: 'Wollemia nobilis\n',
    stderr: '',
  })
  expect(await server.names()).toEqual([])
})
