import fastify from 'fastify'
import { UnservableContract } from 'fastify-contract'
import { expect, onTestFinished, test } from 'vitest'
import { type AnyOptions, type Shop, serve, shop, shopHandlers } from './support/serve.ts'

const me = { authorization: 'Bearer me' }
const { createThing } = shopHandlers()

/** Serves some operations of the shop, on a server that has routes of its own for the others. */
async function serveOnly(only: string[], more: Shop = {}) {
  const app = fastify()
  onTestFinished(() => app.close())
  app.get('/things', () => 'the list of the server')
  app.delete<{ Params: { id: string } }>('/things/:id', ({ params }) => `gone: ${params.id}`)
  // The names of a contract without generated types are not known to the compiler.
  const options: AnyOptions = { only: only as never[], ...more.options }
  return serve({ app, handlers: { createThing: createThing! }, ...more, options })
}

test('only serves the operations that it names, and leaves the others where they are', async () => {
  const { app } = await serveOnly(['createThing'])
  const created = await app.inject({ method: 'POST', url: '/things', headers: me, payload: { id: 1 } })
  expect([created.statusCode, created.json()]).toEqual([200, { id: 1 }])
  expect((await app.inject({ method: 'POST', url: '/things', payload: { id: 1 } })).statusCode).toBe(401)
  expect((await app.inject('/things')).payload).toBe('the list of the server')
  expect((await app.inject({ method: 'DELETE', url: '/things/01' })).payload).toBe('gone: 01')
  const shown = (await app.inject('/openapi.json')).json<{ paths: object }>()
  expect(Object.keys(shown.paths)).toEqual(Object.keys(shop))
})

test('a wrong method is 405 on the paths of only, with the methods of the server', async () => {
  const { app } = await serveOnly(['createThing'])
  const wrong = await app.inject({ method: 'PUT', url: '/things' })
  expect([wrong.statusCode, wrong.headers['allow']]).toEqual([405, 'GET, HEAD, POST'])
  expect((await app.inject({ method: 'PUT', url: '/things/1' })).statusCode).toBe(404)
})

test('with only, a scheme of the other operations needs no verifier', async () => {
  const paths = {
    ...shop,
    '/open': { get: { operationId: 'open', security: [], responses: { 204: { description: 'Open.' } } } },
  }
  const { app } = await serveOnly(['open'], {
    paths,
    handlers: { open: () => ({ status: 204 }) },
    options: { auth: {} },
  })
  expect((await app.inject('/open')).statusCode).toBe(204)
})

test('a name in only that the contract does not have is refused, and so is a handler of another operation', async () => {
  await expect(serveOnly(['createThing', 'waterThing'])).rejects.toThrow(
    new UnservableContract('only: the contract has no operation waterThing; correct the name'),
  )
  await expect(serveOnly(['createThing'], { handlers: shopHandlers() })).rejects.toThrow(
    /^handler listThings: no operation that is served has this name; handler deleteThing: /,
  )
})
