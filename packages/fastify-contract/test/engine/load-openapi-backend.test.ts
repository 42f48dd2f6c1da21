import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Runs a module in a process of its own. @returns the JSON that it prints */
function run(source: string): unknown {
  const script = ['--input-type=module', '--eval', source]
  return JSON.parse(execFileSync(process.execPath, script, { cwd: import.meta.dirname, encoding: 'utf8' }))
}

test('openapi-backend is loaded without what is not used, and whole for other code', () => {
  const [own, others] = run(`
    import { createRequire } from 'node:module'
    await import('fastify-contract')
    const { cache } = createRequire(import.meta.url)
    const loaded = () =>
      ['lodash', 'mock-json-schema', 'json-schema-ref-parser', 'openapi-schema-validator', 'qs'].filter((name) =>
        Object.keys(cache).some((path) => path.includes('/' + name + '/')),
      )
    const own = loaded()
    const { OpenAPIBackend } = await import('openapi-backend')
    const schema = { type: 'object', properties: { name: { type: 'string', example: 'Monstera' } } }
    const responses = { 200: { description: '', content: { 'application/json': { schema } } } }
    const paths = { '/plants': { get: { operationId: 'list', responses } } }
    const api = new OpenAPIBackend({ definition: { openapi: '3.1.0', info: { title: '', version: '' }, paths } })
    await api.init()
    console.log(JSON.stringify([own, api.mockResponseForOperation('list').mock]))
  `) as [unknown, unknown]
  expect(own).toEqual(['lodash'])
  expect(others).toEqual({ name: 'Monstera' })
})
