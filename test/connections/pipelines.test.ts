import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { exchange } from '../support/client/exchange.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { startApp, temporaryStore } from '../support/server/start-app.ts'

async function openSocket(origin: string): Promise<Socket> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** A store whose lists are given when the test says so. */
async function withHeldLists() {
  const store = await temporaryStore()
  const held: (() => void)[] = []
  let most = 0
  const list: Store['list'] = async (caller, limit) => {
    await new Promise<void>((resolve) => {
      held.push(resolve)
      most = Math.max(most, held.length)
    })
    return store.list(caller, limit)
  }
  const release = async (count: number) => {
    for (let released = 0; released < count; released++) {
      await expect.poll(() => held.length, { interval: 1, timeout: 5_000 }).toBeGreaterThan(0)
      held.shift()?.()
    }
  }
  return { store: { ...store, list }, held, release, most: () => most }
}

const livez = 'GET /livez HTTP/1.1\r\nHost: a\r\n'

describe('the requests of one connection', () => {
  test('are answered in their order, several hundred of one segment too', async () => {
    const { listen, token } = await startApp()
    const authorized = `Host: a\r\nAuthorization: Bearer ${token}\r\n`
    const creates = Array.from({ length: 200 }, (_, id) => {
      const body = JSON.stringify({ id, name: `plant ${String(id)}` })
      return (
        `POST /plants HTTP/1.1\r\n${authorized}Content-Type: application/json\r\n` +
        `Content-Length: ${String(body.length)}\r\n\r\n${body}`
      )
    })
    const lists = `GET /plants?limit=1 HTTP/1.1\r\n${authorized}\r\n`.repeat(200)
    const last = `DELETE /plants/0 HTTP/1.1\r\n${authorized}Connection: close\r\n\r\n`
    const responses = await exchange(await listen(), creates.join('') + lists + last)
    const expected = [
      ...creates.map((_, id) => `{"name":"plant ${String(id)}"}`),
      ...Array.from({ length: 200 }, () => '[{"name":"plant 0"}]'),
      '',
    ]
    expect(responses.map(({ text }) => text)).toEqual(expected)
  })

  test('are served one at a time, and the next when the answer before it has been handed over', async () => {
    const { store, held, release, most } = await withHeldLists()
    const { listen, token } = await startApp({ store })
    const list = `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`
    const responses = exchange(await listen(), `${list}\r\n`.repeat(4) + `${list}Connection: close\r\n\r\n`)
    await release(5)
    expect((await responses).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(most()).toBe(1)
    expect(held).toEqual([])
  })

  test('are not served any more when the connection is gone', async () => {
    const { store, held, release } = await withHeldLists()
    const { listen, token, logLines } = await startApp({ store })
    const socket = await openSocket(await listen())
    socket.write(`GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`.repeat(50))
    await expect.poll(() => held.length).toBe(1)
    socket.resetAndDestroy()
    await once(socket, 'close')
    await release(1)
    await expect.poll(() => logLines.filter((line) => line.includes('response cut off')).length).toBe(1)
    expect(held).toEqual([])
  })

  test('wait unread where one has not been answered, and are all served in the end', async () => {
    const { store, release } = await withHeldLists()
    const { listen, token } = await startApp({ store })
    const origin = await listen()
    const list = `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`
    // More than the server reads at once.
    const responses = exchange(
      origin,
      list + `${livez}X-Filler: ${'x'.repeat(200)}\r\n\r\n`.repeat(1_500),
      `${livez}Connection: close\r\n\r\n`,
    )
    await release(1)
    expect((await responses).filter(({ status }) => status === 200)).toHaveLength(1_502)
  })

  test('that are more than may wait end the connection, and no other', async () => {
    const { store, release } = await withHeldLists()
    const { listen, token, logLines } = await startApp({ store, limits: { pipelinedRequests: 10 } })
    const origin = await listen()
    const list = `GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const socket = await openSocket(origin)
    socket.on('error', () => undefined)
    socket.write(list + `${livez}\r\n`.repeat(11))
    await once(socket, 'close')
    expect(logLines.filter((line) => line.includes('connection closed: more than 10 requests wait'))).toHaveLength(1)
    await release(1)
    const responses = await exchange(origin, `${livez}\r\n`.repeat(10) + `${livez}Connection: close\r\n\r\n`)
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => 200))
  })

  test('are answered before what follows them and is no HTTP', async () => {
    const { listen, token } = await startApp()
    const body = '{"id":1,"name":"a"}'
    const create =
      `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${String(body.length)}\r\n\r\n${body}`
    const responses = await exchange(await listen(), `${create}${livez}\r\n\0\0\0\r\n\r\n`)
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400])
    expectFailure(responses[2]!, 'malformed_http')
  })

  test('are answered when the client has closed its side', async () => {
    const { listen, token } = await startApp()
    const socket = await openSocket(await listen())
    socket.end(`GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`.repeat(3))
    let text = ''
    for await (const chunk of socket.setEncoding('latin1')) text += String(chunk)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200'])
  })
})

test('of many refused tokens in one segment no more than the limit are looked at', async () => {
  const { listen } = await startApp({ rateLimit: 5 })
  const guess = 'GET /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer guess\r\n'
  const responses = await exchange(await listen(), `${guess}\r\n`.repeat(199) + `${guess}Connection: close\r\n\r\n`)
  expect(responses.filter(({ status }) => status === 401)).toHaveLength(5)
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(195)
})

describe('CONNECT', () => {
  const connectRequest = 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'

  test('is answered 404 after the requests before it, and the connection is closed', async () => {
    const { listen, token } = await startApp()
    const body = '{"id":1,"name":"a"}'
    const create =
      `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${String(body.length)}\r\n\r\n${body}`
    const responses = await exchange(await listen(), `${create}${connectRequest}${livez}\r\n`)
    expect(responses.map(({ status }) => status)).toEqual([200, 404])
    expect(responses[1]!.headers['connection']).toBe('close')
    expectFailure(responses[1]!, 'path_not_found')
  })

  test('and a reset leave the server as it was, whenever the reset comes', async () => {
    const { listen } = await startApp()
    const origin = await listen()
    for (const pause of [0, 0, 1, 5]) {
      for (const request of [connectRequest, `${livez}\r\n${connectRequest}`]) {
        const socket = await openSocket(origin)
        socket.write(request)
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
        socket.resetAndDestroy()
      }
    }
    const responses = await exchange(origin, `${livez}Connection: close\r\n\r\n`)
    expect(responses.map(({ status }) => status)).toEqual([200])
  })

  test('from a client that sends on and never closes is closed all the same', async () => {
    const { listen } = await startApp()
    const socket = await openSocket(await listen())
    socket.on('error', () => undefined).resume()
    socket.write(connectRequest)
    const sending = setInterval(() => socket.write('x'), 20)
    onTestFinished(() => {
      clearInterval(sending)
    })
    await once(socket, 'close')
  })
})

describe('what follows on the connection cannot be read, so it is closed, after', () => {
  test.each([
    ['an Upgrade, which is ignored', `${livez}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n${livez}\r\n`, 200],
    [
      'HTTP/1.0 with a Transfer-Encoding',
      'GET /livez HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      200,
    ],
    ['a Transfer-Encoding beside chunked', `${livez}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 400],
    [
      'a Transfer-Encoding that is named twice',
      `${livez}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
  ])('%s', async (_name, request, status) => {
    const { listen } = await startApp()
    const responses = await exchange(await listen(), request)
    expect(responses.map((response) => response.status)).toEqual([status])
    expect(responses[0]!.headers['connection']).toBe('close')
    if (status === 400) expectFailure(responses[0]!, 'malformed_http')
  })
})
