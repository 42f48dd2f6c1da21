import { expect, test } from 'vitest'
import { contractOf, noContent } from '../contracts.ts'
import { answer, runTestOf } from './run-test.ts'

const operation = (operationId: string) => ({ operationId, responses: noContent })
const name = { name: 'name', in: 'path', required: true, schema: { enum: ['a', 'reset'] } }
const document = contractOf(
  {
    '/__admin/shutdown': { post: operation('stop') },
    '/server-restart': { get: operation('again') },
    '/counters': { get: operation('presets'), delete: operation('resetCounters') },
    '/cache/{name}': { delete: { ...operation('drop'), parameters: [name] } },
    '/cache/reset': { delete: operation('dropAll') },
    '/purges/{resetId}': { get: { ...operation('listPurged'), parameters: [{ ...name, name: 'resetId' }] } },
  },
  { security: [] },
)

/** Runs the suite. @returns what the server accepted, too */
async function run(...args: string[]) {
  const accepted = new Set<string>()
  const url = await answer(({ method, url: path }) => {
    const target = `${String(method)} ${decodeURIComponent(String(path))}`
    if (/\/(?:cache|purges)\/(?!(?:a|reset)$)/.test(target))
      return [400, '{"error":1,"message":"name"}', 'application/json']
    accepted.add(target)
    return [204]
  })
  return { ...(await runTestOf(document, ['--url', url, '--seed', '1', ...args])), accepted: [...accepted].toSorted() }
}

test('nothing is sent to an operation whose name says that it does harm', async () => {
  const { code, lines, accepted } = await run()
  expect(accepted).toEqual(['DELETE /cache/a', 'GET /', 'GET /counters', 'GET /purges/a', 'GET /purges/reset'])
  expect(lines).toContain(
    'left out: POST /__admin/shutdown, GET /server-restart, DELETE /counters, DELETE /cache/reset: ' +
      'by its name it may stop the server, or take its data away; --only tests it',
  )
  expect(code).toBe(0)
})

test('an operation whose name says that it does harm is tested where --only names it', async () => {
  expect((await run('--only', 'resetCounters')).accepted).toEqual(['DELETE /counters', 'GET /'])
  const { code, accepted } = await run('--only', 'POST /__admin/shutdown')
  expect([code, accepted]).toEqual([0, ['GET /', 'POST /__admin/shutdown']])
})
