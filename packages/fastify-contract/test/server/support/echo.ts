import { stringifyJson } from 'fastify-contract/json'
import { type RawResponse } from './exchange.ts'
import { type TestRequest, serve } from './serve.ts'

/** The input of a handler as JSON: files by their parts, bytes as text after `bytes:`. */
async function shown(value: unknown): Promise<unknown> {
  if (value instanceof File) return { name: value.name, type: value.type, text: await value.text() }
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString('latin1')}`
  if (Array.isArray(value)) return Promise.all(value.map(shown))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    await Promise.all(members.map(async ([name, member]) => [name, await shown(member)] as const)),
  )
}

type Input = Record<string, unknown>

/** A server of one operation that replies with its input. */
export interface Echo {
  send: (request: Partial<TestRequest>) => Promise<RawResponse>
  listen: () => Promise<string>
}

/**
 * Serves an operation that replies with its input.
 *
 * @param operation its parameters and its requestBody
 */
export async function serveEcho(
  operation: object,
  {
    path = '/',
    method = 'post',
    schemas = {},
    limits = {},
    show = (input: Input): Promise<unknown> => shown(input),
  } = {},
): Promise<Echo> {
  const echo = async (input: Input) => ({ status: 200, body: await show(input) })
  const object = { operationId: 'echo', security: [], ...operation }
  const { send, listen } = await serve({
    paths: { [path]: { [method]: object } },
    handlers: { echo },
    document: { components: { schemas } },
    limits,
    // The docs page takes a third of the time of a start.
    options: { docs: false },
  })
  return { send: (request) => send({ method: method.toUpperCase(), url: '/', ...request }), listen }
}

/** Serves a body of some media types. @returns the JSON text of the body that the handler got, or the failure */
export async function serveBody(content: object, required = true, more: Parameters<typeof serveEcho>[1] = {}) {
  // As text, because a double may not hold its numbers.
  const show = async ({ body, contentType, mediaType }: Input) => {
    return { body: body === undefined ? undefined : stringifyJson(await shown(body)), contentType, mediaType }
  }
  const { send, listen } = await serveEcho({ requestBody: { required, content } }, { ...more, show })
  const post = async (type: string | undefined, body: string | Buffer) => {
    const { status, text } = await send({ headers: { 'content-type': type }, body })
    const { failure: _, ...received } = JSON.parse(text) as Received
    return { status, ...received }
  }
  return { post, listen }
}

interface Received {
  failure?: string
  body?: string
  contentType?: string
  mediaType?: string
  message?: string
}
