import { cp, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OnFinished, temporaryFolder } from '../support/server/start-app.ts'

const project = join(import.meta.dirname, '../..')

/** What a change of the contract can affect. */
const parts = [
  'src',
  'scripts',
  'deploy/citus.sql',
  'test/contract-suite',
  'test/support',
  'generated',
  'openapi.yaml',
  'redocly.yaml',
  'package.json',
  'vitest.config.ts',
]

/** A copy of the project that a test may change. */
export interface ProjectCopy {
  root: string
  /** Changes a file and saves it as many editors do: it writes a new file and renames it. */
  edit: (file: string, change: (text: string) => string) => Promise<void>
}

/** Copies the project into a folder that is removed when the test is finished. */
export async function copyProject(onFinished?: OnFinished): Promise<ProjectCopy> {
  const root = await temporaryFolder(onFinished)
  for (const part of parts) await cp(join(project, part), join(root, part), { recursive: true })
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'))
  const settings = { extends: join(project, 'tsconfig.json'), include: ['src/handlers.ts'], exclude: [] }
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(settings))
  await mkdir(join(root, 'docs/releases'), { recursive: true })
  return {
    root,
    edit: async (file, change) => {
      const before = await readFile(join(root, file), 'utf8')
      const after = change(before)
      if (after === before) throw new Error(`the edit does not find its place in ${file}`)
      await writeFile(join(root, `${file}~`), after)
      await rename(join(root, `${file}~`), join(root, file))
    },
  }
}

/** Adds an operation without a handler, `GET /plants/{id}`, with the failures of another operation. */
export function addGetPlant(contract: string): string {
  const [, responses = ''] = /operationId: deletePlant\n[^]*?\n {6}responses:\n([^]*?)\n\S/.exec(contract) ?? []
  const failures = responses.replace(/ {8}'204':\n(?: {10}.*\n)+/, '')
  const operation = `    get:
      operationId: getPlant
      summary: Find a plant
      description: Returns the caller's plant with this id.
      tags: [plants]
      parameters:
        - { name: id, in: path, description: The id., required: true, schema: { type: integer, format: int64 } }
      responses:
        '200':
          description: The plant.
          headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Plant' } } }
${failures}
`
  return contract.replace('  /plants/{id}:\n', (path) => path + operation)
}
