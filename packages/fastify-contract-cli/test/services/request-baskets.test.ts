import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { generate } from '../../src/generate/generate.ts'

const folder = join(import.meta.dirname, 'request-baskets')

beforeAll(async () => {
  const project = { root: folder, contract: 'request-baskets.json', out: 'generated' }
  expect(await generate(project)).toMatchObject({ ok: true })
})

test('the handlers of the service compile with the generated types', { timeout: 60_000 }, async () => {
  const compiler = join(import.meta.dirname, '../../../../node_modules/typescript-7/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', import.meta.dirname]).catch(
    (error: unknown) => error as { stdout: string },
  )
  expect(stdout).toBe('')
})

test('the service of a public OpenAPI 3.0 contract stores and returns baskets', async () => {
  process.env['BASKET_TOKEN'] = 'secret'
  process.env['SERVICE_TOKEN'] = 'secret'
  // Paths that the compiler does not follow: the files are only typed once their types are generated.
  const [appFile, handlersFile]: string[] = ['./request-baskets/src/app.ts', './request-baskets/src/handlers.ts']
  const { buildApp } = (await import(appFile!)) as {
    buildApp: () => Promise<FastifyInstance>
  }
  const { baskets } = (await import(handlersFile!)) as {
    baskets: Map<string, { lastRequest: bigint }>
  }
  const app = await buildApp()
  onTestFinished(() => app.close())
  const send = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => {
    const response = await app.inject({
      method,
      url,
      headers: { authorization: 'secret' },
      ...(payload && { payload }),
    })
    return { status: response.statusCode, text: response.body }
  }
  const one = '/api/baskets/one'
  expect(await send('POST', one, { capacity: 5 })).toEqual({ status: 201, text: '{"token":"token of one"}' })
  expect((await send('POST', one)).status).toBe(409)
  expect((await send('PUT', one, { expand_path: true })).status).toBe(204)
  expect((await send('GET', one)).text).toBe('{"capacity":5,"expand_path":true}')
  expect((await send('PUT', one, { capacity: 'five' })).status).toBe(400)
  expect((await send('PUT', `${one}/responses/GET`, { headers: { Accept: ['a/b'] } })).status).toBe(204)
  expect((await send('GET', `${one}/responses/GET`)).text).toBe('{"headers":{"Accept":["a/b"]}}')
  expect((await send('GET', '/api/baskets?max=1')).text).toBe('{"names":["one"],"has_more":false}')
  baskets.get('one')!.lastRequest = 9007199254740993n
  expect((await send('GET', '/api/stats')).text).toContain('"last_request_date":9007199254740993}')
  expect((await send('GET', '/baskets')).status).toBe(501)
  expect((await app.inject(one)).statusCode).toBe(401)
  expect((await send('DELETE', one)).status).toBe(204)
  expect((await send('GET', one)).status).toBe(404)
  const served = await app.inject('/openapi.json')
  expect(served.json()).toEqual(JSON.parse(await readFile(join(folder, 'request-baskets.json'), 'utf8')))
})
