import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Contract, type FailureForm, authByKind, serve as serveContract } from 'fastify-contract'
import { sealContract } from 'fastify-contract/document'
import { stringifyJson } from 'fastify-contract/json'
import { onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { BrokenContract } from '../src/model/yaml/findings.ts'
import { type ReadOptions, readCheckedContract } from '../src/model/read-contract.ts'
import { generate } from '../src/generate/generate.ts'
import { contractTexts } from '../src/generate/write-contract.ts'

const errorSchema = {
  type: 'object',
  required: ['error', 'message'],
  properties: { error: { type: 'integer' }, message: { type: 'string' } },
}

export const json = (schema: unknown, more: object = {}) => ({ 'application/json': { schema, ...more } })

/** The response that declares each failure of the server. */
export const failures = {
  default: { description: 'A failure.', content: json({ $ref: '#/components/schemas/Error' }) },
}
export const noContent = { 204: { description: 'Done.' }, ...failures }

/** Integers beyond 2^53 are bigints. */
const exactly = (_name: unknown, value: unknown) =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value

/** What a YAML file of this folder holds. */
export function dataOf(file: string): unknown {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  return parse(text, exactly, { intAsBigInt: true })
}

type Rest = { components?: { schemas?: object; [section: string]: unknown } } & Record<string, unknown>

/** Makes a contract of paths. */
export function contractOf(paths: object, { components, ...document }: Rest = {}) {
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    security: [{ bearer: [] }],
    paths,
    ...document,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      ...components,
      schemas: { Error: errorSchema, ...components?.schemas },
    },
  }
}

/** A contract of one operation, `GET /things`, with these members. */
export function contractWith(operation: object, rest: Rest = {}) {
  return contractOf({ '/things': { get: { operationId: 'listThings', responses: noContent, ...operation } } }, rest)
}

/** A contract of one operation, `POST /things`, whose body has a property `value` of this schema. */
export function withSchema(value: object, schemas: object = {}) {
  const requestBody = { content: json({ type: 'object', properties: { value } }) }
  const createThing = { operationId: 'createThing', requestBody, responses: noContent }
  return contractOf({ '/things': { post: createThing } }, { components: { schemas } })
}

function textOf(contract: object | string): string {
  return typeof contract === 'string' ? contract : stringifyJson(contract, 1)
}

/** The lines with which a contract is warned of. @throws BrokenContract where it is refused */
export async function warningsOf(contract: object | string): Promise<string[]> {
  return (await readCheckedContract(Buffer.from(textOf(contract)), 'openapi.yaml')).warnings
}

/** The lines with which a contract is refused; none where it is taken. */
export async function problemsOf(contract: object | string, options: ReadOptions = {}): Promise<string[]> {
  try {
    await readCheckedContract(Buffer.from(textOf(contract)), 'openapi.yaml', undefined, options)
    return []
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error
    return error.message.split('\n')
  }
}

/** Makes a folder with these files, which is removed when the test is finished. */
export async function folderWith(
  files: Record<string, string | object> = {},
  onFinished: (remove: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'))
  onFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), textOf(content))
  }
  return folder
}

/** Generates from openapi.yaml in a folder, as the command line does. */
export function generateIn(root: string, options: { check?: boolean } = {}) {
  return generate({ root, contract: 'openapi.yaml', out: 'generated' }, options)
}

/** The contract that `generateIn` wrote, read anew. */
export async function generatedContract(root: string): Promise<Contract> {
  const text = stripTypeScriptTypes(await readFile(join(root, 'generated/contract.ts'), 'utf8'))
  // Not by its path, because a module is loaded once. The file is generated.
  const { contract } = (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as { contract: Contract }
  return { ...contract, folder: join(root, 'generated') }
}

export interface TestRequest {
  method?: string
  url: string
  headers?: Record<string, string>
  /** JSON text. */
  body?: string
}

/** Serves a contract until the test is finished. `TOKEN` is the one credential that is valid. */
export async function serve(
  given: object | string,
  handlers: Record<string, (input: never) => unknown>,
  onFinished: (close: () => Promise<void>) => void = onTestFinished,
) {
  const text = textOf(given)
  const read = await readCheckedContract(Buffer.from(text), 'openapi.yaml')
  const failureForm: FailureForm = ({ message }) => ({ body: { error: 50000, message } })
  const contract: Contract = sealContract(contractTexts(read))
  const verify = (text: string) => Promise.resolve(text === 'TOKEN' ? 'me' : undefined)
  const basic = () => Promise.resolve(undefined)
  const auth = authByKind(contract, { bearer: verify, jwt: verify, apiKey: verify, http: verify, basic })
  const limits = { shutdownDelayMilliseconds: 0 }
  const app = await serveContract(contract, { handlers, auth, failureForm, limits })
  onFinished(() => app.close())
  return async ({ method = 'POST', url, headers = {}, body }: TestRequest) => {
    const content = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await app.inject({
      // The type lists the common methods; any is sent.
      method: method as 'GET',
      url,
      headers: { authorization: 'Bearer TOKEN', ...content, ...headers },
      ...(body === undefined ? {} : { payload: body }),
    })
    return { status: response.statusCode, headers: response.headers, text: response.payload }
  }
}
