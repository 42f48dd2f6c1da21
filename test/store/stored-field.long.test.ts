import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { copyProject } from '../contract/project-copy.ts'
import { startProgram } from '../support/server/program.ts'
import { servedStore } from '../support/server/served-database.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { nodeBinary, projectFolder, runScript } from '../support/server/start-process.ts'

/** The edits of docs/changing-the-contract.md, "Add a field that is stored". */
const contractEdit = `        height:
          description: The height of the plant in centimetres.
          type: integer
          format: int32
    NewPlant:
`
const columnEdit = '  height: Number,\n}\n'
const migrationEdit = '  `ALTER TABLE plants ADD COLUMN height integer;`,\n]\n'

async function run(root: string, command: string[]): Promise<{ code: number | null; output: string }> {
  const { ended, stdout, stderr } = await startProgram(command, { cwd: root, env: process.env }, () => true)
  return { code: await ended, output: stdout() + stderr() }
}

const compiler = join(projectFolder, 'node_modules/typescript-7/bin/tsc')

test('the three documented edits store a new property', { timeout: 120_000 }, async () => {
  const { root, edit } = await copyProject()
  const compile = () => run(root, [nodeBinary, compiler, '--noEmit'])
  const command = [nodeBinary, join(root, 'src/main.ts')] as const
  const { serve, url } = await servedStore()
  const old = await serve({}, command)
  await old.send('POST', '/plants', { id: 1, name: 'a', tag: 'b' })
  await old.send('POST', '/plants', { id: 2, name: 'c' })
  await old.end()

  await edit('openapi.yaml', (text) => text.replace('    NewPlant:\n', contractEdit))
  expect(await run(root, ['npm', 'run', '--silent', 'generate'])).toMatchObject({ code: 0 })
  expect((await compile()).output).toMatch(
    /^src\/plants\/plant\.ts\(\d+,\d+\): error TS2741: Property 'height' is missi/,
  )
  await edit('src/plants/plant.ts', (text) => text.replace(/(?<=\n {2}tag: String,\n)\}\n/, columnEdit))
  for (const store of ['sqlite', 'postgres'])
    await edit(`src/store/${store}/schema.ts`, (text) => text.replace(/(?<=\n)\]\n/, migrationEdit))
  expect(await compile()).toEqual({ code: 0, output: '' })

  const server = await serve({}, command)
  const created = await server.send('POST', '/plants', { height: 30, tag: 'e', id: 3, name: 'd' })
  expect(created).toMatchObject({ status: 200, text: '{"name":"d","tag":"e","height":30}' })
  await server.send('POST', '/plants', { id: 4, name: 'f', height: -1 })
  const listed = '[{"name":"a","tag":"b"},{"name":"c"},{"name":"d","tag":"e","height":30},{"name":"f","height":-1}]'
  expect(await server.send('GET', '/plants?limit=9')).toMatchObject({ text: listed })
  expect(await server.send('GET', '/plants')).toMatchObject({ text: listed })
  await server.end()

  const moved = `sqlite:${join(await temporaryFolder(), 'moved.db')}`
  const move = relative(projectFolder, join(root, 'scripts/move/move.ts'))
  expect(await runScript(move, ['--from', url, '--to', moved])).toMatchObject({ code: 0, stderr: '' })
  const other = await serve({ DATABASE_URL: moved }, command)
  expect(await other.send('GET', '/plants')).toMatchObject({ text: listed })
})
