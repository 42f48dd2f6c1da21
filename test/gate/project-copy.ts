import { cp, mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generate } from '../../packages/fastify-contract/src/gate/generate/generate.ts'
import { type OnFinished, temporaryFolder } from '../support/server/start-app.ts'

const project = join(import.meta.dirname, '../..')

/** A small service with a contract of its own, so that no change of the project's contract is one of these tests. */
const fixture = join(import.meta.dirname, 'fixture')

/** What every service has, whatever its contract. */
const parts = ['src', 'package.json', 'tsconfig.json', 'redocly.yaml']

/** The contract of each copy before it is changed. */
export const contractText = await readFile(join(fixture, 'openapi.yaml'), 'utf8')

/** A change that a person makes to a text. */
export type Edit = (text: string) => string

/** A copy of the project that a test may change. */
export interface ProjectCopy {
  root: string
  /** Changes openapi.yaml and saves it as many editors do: a new file, renamed into place. */
  editContract: (edit: Edit) => Promise<void>
  /** The content of each file of generated/. */
  readGenerated: () => Promise<Record<string, string>>
}

/** The files of generated/ for the contract of the fixture, which are generated once for all tests of a file. */
let generated: Promise<Record<string, string>> | undefined

/**
 * Copies the project with the contract and the handlers of the fixture, which has the version 1.0.0, into a folder that
 * is removed when the test is finished.
 */
export async function copyProject(onFinished?: OnFinished): Promise<ProjectCopy> {
  const root = await temporaryFolder(onFinished)
  for (const part of parts) await cp(join(project, part), join(root, part), { recursive: true })
  await rm(join(root, 'src/plants'), { recursive: true, force: true })
  await cp(fixture, root, { recursive: true })
  // The rest of the project has types of the project's own contract.
  const configuration = join(root, 'tsconfig.json')
  const compiler = await readFile(configuration, 'utf8')
  await writeFile(configuration, compiler.replace(/"include": \[.*\]/, '"include": ["src/handlers.ts", "src/plants"]'))
  await symlink(join(project, 'node_modules'), join(root, 'node_modules'))
  generated ??= generate(root, 'write').then(() => filesOf(join(root, 'generated')))
  const files = await generated
  await mkdir(join(root, 'generated'), { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, 'generated', name), text)
  const contract = join(root, 'openapi.yaml')
  return {
    root,
    editContract: async (edit) => {
      const before = await readFile(contract, 'utf8')
      const after = edit(before)
      if (after === before) throw new Error('the edit does not find its place in openapi.yaml')
      await writeFile(`${contract}~`, after)
      await rename(`${contract}~`, contract)
    },
    readGenerated: () => filesOf(join(root, 'generated')),
  }
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder)
  const texts = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}

/** Copies the project as it is after a release: docs/releases/ has the contract of that version alone. */
export async function copyReleasedProject(version = '1.0.0', onFinished?: OnFinished): Promise<ProjectCopy> {
  const copy = await copyProject(onFinished)
  await keepRelease(copy.root, version)
  return copy
}

/** Keeps the present contract of a copy as that of a release. */
export async function keepRelease(root: string, version: string): Promise<void> {
  await mkdir(join(root, 'docs/releases'), { recursive: true })
  await cp(join(root, 'openapi.yaml'), join(root, `docs/releases/openapi-${version}.yaml`))
}

/** Replaces the first occurrence of a text, taken as it is. */
export function replace(text: string, by: string): Edit {
  return (source) => source.replace(text, () => by)
}

/** Removes what stands from the first `from` up to the next `to`. */
export function cut(from: string, to: string): Edit {
  return (source) => {
    const start = source.indexOf(from)
    return start === -1 ? source : source.slice(0, start) + source.slice(source.indexOf(to, start + from.length))
  }
}

/** Adds an operation that no code knows: GET /plants/{id}. */
export const addGetPlant: Edit = replace(
  '  /plants/{id}:\n',
  `  /plants/{id}:
    get:
      operationId: getPlant
      summary: Find a plant
      description: Returns the caller's plant with this id.
      tags: [plants]
      parameters:
        - name: id
          in: path
          description: The id of the plant.
          required: true
          schema:
            type: integer
            format: int64
      responses:
        '200':
          description: The plant.
          headers:
            X-Request-Id:
              $ref: '#/components/headers/X-Request-Id'
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/NewPlant'
        '400':
          $ref: '#/components/responses/BadRequest'
        '401':
          $ref: '#/components/responses/Unauthorized'
        '404':
          $ref: '#/components/responses/NotFound'
        '408':
          $ref: '#/components/responses/RequestTimeout'
        '429':
          $ref: '#/components/responses/TooManyRequests'
        '431':
          $ref: '#/components/responses/RequestHeaderFieldsTooLarge'
        '500':
          $ref: '#/components/responses/InternalServerError'
        '503':
          $ref: '#/components/responses/ServiceUnavailable'
`,
)
