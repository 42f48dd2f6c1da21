import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type ServerProcess, nodeBinary, projectFolder, startProcess } from './support/server/start-process.ts'

const folder = join(projectFolder, 'examples')
const examples = globSync('*/server.ts', { cwd: folder }).map((path) => path.replace(/\/.*/, ''))

const servers = new Map<string, Promise<ServerProcess>>()
afterAll(async () => {
  for (const server of servers.values()) await (await server).end()
})

/** Starts a server of an example, unless one with this name runs. @returns its origin */
async function start(example: string, name = example): Promise<string> {
  const server = servers.get(name) ?? startProcess({}, [nodeBinary, join(folder, example, 'server.ts')])
  servers.set(name, server)
  return (await server).origin
}

test.each(examples)('the requests in the README of examples/%s give its responses', async (example) => {
  const origin = await start(example)
  const [, block = ''] = /```console\n([^]*?)```/.exec(readFileSync(join(folder, example, 'README.md'), 'utf8')) ?? []
  const requests = [...block.matchAll(/^\$ curl (?:-b (\S+) )?http:\/\/127\.0\.0\.1:3000(\S+)\n((?:(?!\$ ).*\n)+)/gm)]
  expect(requests.length).toBeGreaterThan(1)
  for (const [command, cookie, path = '', expected] of requests) {
    const response = await fetch(origin + path, { headers: cookie === undefined ? {} : { cookie } })
    // The page has a line break behind each response.
    expect(`${(await response.text()).replace(/\n$/, '')}\n`, command).toBe(expected)
  }
})

test('a message of the typed stream reaches a client that listens', async () => {
  const origin = await start('typed-stream')
  const listening = await fetch(`${origin}/messages/events`)
  const events = listening.body!.pipeThrough(new TextDecoderStream()).getReader()
  const message = '{"id":9007199254740993,"text":"I am"}'
  const headers = { 'content-type': 'application/json' }
  expect((await fetch(`${origin}/messages`, { method: 'POST', headers, body: message })).status).toBe(204)
  expect((await events.read()).value).toBe(`event: message\nid: 9007199254740993\ndata: ${message}\n\n`)
  await events.cancel()
})

describe('the app that adopts a contract operation by operation', () => {
  const cookie = 'session=secret'

  test('serves an adopted operation by the contract, and the others by its routes', async () => {
    const origin = await start('existing-app')
    const send = async (method: string, path: string, more: RequestInit = {}) => {
      const response = await fetch(origin + path, { method, headers: { cookie }, ...more })
      return { status: response.status, text: await response.text(), headers: response.headers }
    }
    const adopted = await send('GET', '/pets/0x1')
    expect([adopted.status, adopted.text]).toEqual([400, expect.stringContaining('plain decimal form')])
    expect(adopted.headers.get('x-frame-options')).toBe('SAMEORIGIN')
    const photo = new FormData()
    photo.set('photo', new File(['12345'], 'rex.png'))
    expect(await send('PUT', '/pets/1/photo', { body: photo })).toMatchObject({ status: 200, text: '{"bytes":5}' })
    expect(await send('DELETE', '/pets/1')).toMatchObject({ status: 204 })
    expect(await send('GET', '/pets/1')).toMatchObject({
      status: 404,
      text: '{"statusCode":404,"message":"no such pet"}',
    })
    expect(await send('POST', '/pets/1')).toMatchObject({ status: 405 })
    const { paths } = JSON.parse((await send('GET', '/docs/json')).text) as { paths: object }
    expect(Object.keys(paths)).toEqual(['/pets', '/pets/{petId}', '/pets/{petId}/photo'])
  })

  test('limits the rate of requests without valid credentials, to both', async () => {
    const origin = await start('existing-app', 'limited')
    const statuses: number[] = []
    for (let sent = 0; sent < 22; sent++) {
      const path = sent % 2 === 0 ? '/pets/1' : '/pets'
      statuses.push((await fetch(origin + path, { headers: { cookie: 'session=guessed' } })).status)
    }
    expect(statuses).toEqual([...Array<number>(20).fill(401), 429, 429])
  })
})
