import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as library from 'fastify-contract'
import { sealContract } from 'fastify-contract/document'
import type * as encoded from 'fastify-contract/encoded'
import * as json from 'fastify-contract/json'
import fastify from 'fastify'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { serve } from './support/serve.ts'

/** A second copy of the library, as npm installs one below a plugin that asks for another version. */
let copy: { library: typeof library; encoded: typeof encoded; json: typeof json }

beforeAll(async () => {
  const [own, folder] = [join(import.meta.dirname, '../..'), mkdtempSync(join(tmpdir(), 'copy-'))]
  for (const part of ['package.json', 'src']) cpSync(join(own, part), join(folder, part), { recursive: true })
  symlinkSync(join(own, '../../node_modules'), join(folder, 'node_modules'))
  const load = (file: string): Promise<unknown> => import(join(folder, 'src', file))
  copy = {
    library: (await load('fastify-contract.ts')) as typeof library,
    encoded: (await load('types/encoded.ts')) as typeof encoded,
    json: (await load('json.ts')) as typeof json,
  }
  expect(copy.library.Refusal).not.toBe(library.Refusal)
  return () => {
    rmSync(folder, { recursive: true })
  }
})

test('a server sends the refusal that a hook throws from another copy of the library', async () => {
  const refuse = () => {
    throw new copy.library.Refusal('rate_limited', 'try again in a minute', { 'Retry-After': 60 })
  }
  const { send } = await serve({ before: (app) => app.addHook('preParsing', refuse) })
  expect(await send({ url: '/things' })).toMatchObject({
    status: 429,
    headers: { 'retry-after': '60' },
    text: '{"failure":"rate_limited","message":"try again in a minute"}',
  })
})

test('a server sends the Encoded JSON of another copy as it is', async () => {
  const listThings = () => ({ status: 200, body: new copy.encoded.Encoded('[ 1 ]') })
  const { send } = await serve({ handlers: { listThings, createThing: listThings, deleteThing: listThings } })
  expect(await send({ url: '/things' })).toMatchObject({ status: 200, text: '[ 1 ]' })
})

test('authOf of another copy tells who has been verified', async () => {
  const seen: unknown[] = []
  const look = (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
    seen.push(copy.library.authOf(request))
    done()
  }
  const { send } = await serve({ before: (app) => app.addHook('preHandler', look) })
  await send({ url: '/things' })
  expect(seen).toEqual([{ bearer: { caller: 'me', scopes: 'all' } }])
})

test('the stand-in of another copy answers, after authentication, where a handler is notImplemented', async () => {
  onTestFinished(() => {
    library.standInForNotImplemented(() => Promise.resolve({ handlers: {} }))
  })
  const asked: unknown[] = []
  copy.library.standInForNotImplemented((_contract, ids) => {
    asked.push(...ids)
    const listThings = () => ({ status: 200, body: ['mock'] })
    return Promise.resolve({ handlers: { listThings, deleteThing: library.notImplemented } })
  })
  const handlers = {
    listThings: library.notImplemented,
    createThing: copy.library.notImplemented,
    deleteThing: () => ({ status: 204 }),
  }
  const { send } = await serve({ handlers })
  expect(asked).toEqual(['listThings', 'createThing'])
  expect(await send({ url: '/things' })).toMatchObject({ status: 200, text: '["mock"]' })
  expect(await send({ url: '/things', headers: { authorization: 'Bearer wrong' } })).toMatchObject({ status: 401 })
  expect(await send({ url: '/things?limit=-1' })).toMatchObject({ status: 400 })
  // What nothing stands in for is 501, and a written handler is called.
  expect(await send({ method: 'POST', url: '/things', body: '{"id":1}' })).toMatchObject({ status: 501 })
  expect(await send({ method: 'DELETE', url: '/things/1' })).toMatchObject({ status: 204 })
})

test('a server of fastifyOptions serves the contract of another copy as its own', async () => {
  const app = fastify(library.fastifyOptions({ logger: false }))
  onTestFinished(() => app.close())
  const paths = { '/a': { get: { operationId: 'a', security: [], responses: { 204: { description: 'Done.' } } } } }
  const document = JSON.stringify({ openapi: '3.1.0', info: { title: 'A', version: '1' }, paths })
  await app.register(
    copy.library.fastifyContract(sealContract({ document }), { handlers: { a: () => ({ status: 204 }) } }),
  )
  expect((await app.inject({ method: 'POST', url: '/a' })).statusCode).toBe(405)
  // On another server, a path outside of the contract has the 404 of Fastify.
  const { statusCode, headers } = await app.inject('/other')
  expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
    404,
    'application/problem+json',
    'no-store',
  ])
})

test('instanceof knows the errors of another copy', async () => {
  const stale = { ...sealContract({ document: '{}' }), sha256: 'of another text' }
  await expect(copy.library.serve(stale, { handlers: {} })).rejects.toBeInstanceOf(library.UnservableContract)
  expect(() => copy.json.parseJsonWithBigInts('{')).toThrow(json.MalformedJson)
})

test('a class that extends an error of the library has instances of its own only', () => {
  class TooMany extends library.Refusal {}
  expect(new TooMany('rate_limited', 'wait')).toBeInstanceOf(TooMany)
  expect(new TooMany('rate_limited', 'wait')).toBeInstanceOf(library.Refusal)
  expect(new library.Refusal('rate_limited', 'wait')).not.toBeInstanceOf(TooMany)
})
