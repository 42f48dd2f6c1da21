import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Runs a module in a process of its own. @returns the JSON that it prints */
function run(source: string): unknown {
  const script = ['--input-type=module', '--eval', source]
  return JSON.parse(execFileSync(process.execPath, script, { cwd: import.meta.dirname, encoding: 'utf8' }))
}

test('openapi-backend is loaded without what is not used, until it is, and whole for other code', () => {
  const [loaded, mocks] = run(`
    import { createRequire } from 'node:module'
    await import('fastify-contract')
    const paths = Object.keys(createRequire(import.meta.url).cache)
    const names = ['lodash', 'mock-json-schema', 'json-schema-ref-parser', 'openapi-schema-validator', 'qs']
    const loaded = names.filter((name) => paths.some((path) => path.includes('/' + name + '/')))

    const schema = { type: 'object', properties: { name: { type: 'string', example: 'Monstera' } } }
    const responses = { 200: { description: '', content: { 'application/json': { schema } } } }
    const get = { operationId: 'list', responses }
    const definition = { openapi: '3.1.0', info: { title: '', version: '' }, paths: { '/plants': { get } } }
    const { loadOpenApiBackend } = await import('../../src/engine/load-openapi-backend.ts')
    const mocks = []
    for (const { OpenAPIBackend } of [loadOpenApiBackend(), await import('openapi-backend')]) {
      const api = new OpenAPIBackend({ definition, strict: true })
      await api.init()
      mocks.push(api.mockResponseForOperation('list').mock)
    }
    console.log(JSON.stringify([loaded, mocks]))
  `) as [unknown, unknown]
  expect(loaded).toEqual([])
  expect(mocks).toEqual([{ name: 'Monstera' }, { name: 'Monstera' }])
})
