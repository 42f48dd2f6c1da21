import type { IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { stringifyJson } from 'fastify-contract/json'
import { parseExactly } from '../../src/suite.ts'
import { listen } from './run-test.ts'

/** What a server replies. */
export interface Reply {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** A pet, as it is kept. */
interface Pet {
  id: bigint
  owner: string
  name: string
  weight: bigint
  kind?: string
}

/** What is wrong with a server, on purpose. */
export interface Faults {
  /** Changes a reply before it is sent. */
  reply?: (reply: Reply, request: { method: string; path: string }) => Reply
  keepsDeleted?: boolean
  listsDeleted?: boolean
  showsAll?: boolean
  /** How long each reply waits, in milliseconds. */
  delay?: number
}

const callers = ['k', 'other']
const integer = /^-?\d+$/
const problem = (status: number, title: string): Reply => ({ status, body: { title } })
const isInt64 = (value: unknown): boolean =>
  (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) ||
  (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 2 ** 53)

/** Serves the contract of pets by hand, with nothing of the library but its JSON. @returns the URL */
export function servePets(faults: Faults = {}): Promise<string> {
  const pets = new Map<string, Pet>()
  const deleted: Pet[] = []
  let last = 0

  async function respond(request: IncomingMessage): Promise<Reply> {
    const bytes: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) bytes.push(chunk)
    const { method = '', headers } = request
    const url = new URL(request.url ?? '/', 'http://localhost')
    const path = url.pathname.replace(/^\/v1/, '')
    const body = Buffer.concat(bytes)
    const reply = routed(method, path, url.searchParams, headers, body)
    if (faults.delay !== undefined) await setTimeout(faults.delay)
    return faults.reply?.(reply, { method, path }) ?? reply
  }

  function routed(...request: Parameters<typeof route>): Reply {
    try {
      return route(...request)
    } catch (error) {
      if (error instanceof URIError) return problem(400, 'percent-encoding')
      throw error
    }
  }

  function route(
    method: string,
    path: string,
    query: URLSearchParams,
    headers: IncomingMessage['headers'],
    body: Buffer,
  ): Reply {
    if (path === '/search') return search(query, headers)
    if (path === '/pictures') return picture(headers['content-type'] ?? '', body)
    if (!path.startsWith('/pets')) return problem(404, 'no such path')
    const owner = String(headers['x-key'])
    if (!callers.includes(owner)) return problem(401, 'who?')
    if (path === '/pets' && method === 'POST')
      return keep(String(++last), owner, headers['content-type'] ?? '', body, 201)
    if (path === '/pets') {
      const own = [...pets.values()].filter((pet) => pet.owner === owner || faults.showsAll === true)
      return { status: 200, body: [...own, ...deleted].map(shown) }
    }
    const id = decodeURIComponent(path.slice('/pets/'.length))
    if (!integer.test(id) || BigInt(id) < 1n || !isInt64(BigInt(id))) return problem(400, 'petId')
    const pet = pets.get(id)
    if (pet === undefined || (pet.owner !== owner && faults.showsAll !== true)) return problem(404, 'no such pet')
    if (method === 'PUT') return keep(id, owner, headers['content-type'] ?? '', body, 200)
    if (method === 'GET') return replyOf(pet, 200)
    if (faults.keepsDeleted !== true) pets.delete(id)
    if (faults.listsDeleted === true) deleted.push(pet)
    return { status: 204 }
  }

  function keep(id: string, owner: string, type: string, body: Buffer, status: number): Reply {
    const value = read(type, body)
    const fault = faultOf(value)
    if (fault !== undefined) return problem(400, fault)
    const pet = { ...(value as Pet), id: BigInt(id), owner }
    pets.set(id, pet)
    return replyOf(pet, status)
  }

  return listen((request, response) => {
    void respond(request).then((replied) => {
      const { status, body, headers = {} } = replied
      const text = body === undefined ? '' : stringifyJson(body)
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const length = status === 204 ? {} : { 'content-length': Buffer.byteLength(text) }
      response.writeHead(status, { ...type, ...length, ...headers }).end(request.method === 'HEAD' ? '' : text)
    })
  })
}

function replyOf(pet: Pet, status: number): Reply {
  return { status, body: shown(pet), headers: { etag: '"1"', location: `/v1/pets/${String(pet.id)}` } }
}

function shown({ id, name, weight, kind }: Pet): object {
  return { id, name, weight, ...(kind === undefined ? {} : { kind }) }
}

function read(type: string, body: Buffer): unknown {
  if (type.startsWith('application/json')) {
    try {
      return parseExactly(new TextDecoder('utf-8', { fatal: true }).decode(body))
    } catch {
      return undefined
    }
  }
  const fields = Object.fromEntries(new URLSearchParams(body.toString()))
  const { weight = '' } = fields
  return { ...fields, weight: integer.test(weight) ? BigInt(weight) : weight }
}

function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'body'
  const { name, weight, kind } = value as Record<string, unknown>
  const length = typeof name === 'string' ? Array.from(name).length : 0
  if (length < 1 || length > 20) return 'name'
  if (!isInt64(weight)) return 'weight'
  return kind === undefined || kind === 'cat' || kind === 'dog' ? undefined : 'kind'
}

function search(query: URLSearchParams, headers: IncomingMessage['headers']): Reply {
  const isOne = (value: string | null | undefined, values: string[]) =>
    value === null || value === undefined || values.includes(value)
  const [limit = '', age = '0', sizes] = [query.get('limit'), query.get('filter[age]'), query.get('sizes')].map(
    (text) => text ?? undefined,
  )
  const where = query.get('where')
  const { cookie = 'kind=leaf' } = headers
  const isRight =
    /^\d$/.test(limit) &&
    integer.test(age) &&
    isOne(query.get('filter[kind]'), ['cat', 'dog']) &&
    (sizes === undefined || sizes.split('|').every((size) => integer.test(size))) &&
    (where === null || isWhere(where)) &&
    isOne(headers['x-mode'] as string | undefined, ['fast', 'slow']) &&
    ['kind=leaf', 'kind=branch'].includes(cookie)
  return isRight ? { status: 204 } : problem(400, 'query')
}

function isWhere(text: string): boolean {
  try {
    const where = JSON.parse(text) as { a?: unknown } | null
    return typeof where === 'object' && !Array.isArray(where) && typeof where?.a === 'boolean'
  } catch {
    return false
  }
}

function picture(type: string, body: Buffer): Reply {
  const [, boundary = ''] = /boundary=(\S+)/.exec(type) ?? []
  const parts = body.toString('latin1').split(`--${boundary}`)
  const has = (start: string) => parts.some((part) => part.includes(start))
  const isRight = has('name="title"\r\n\r\n') && !has('name="title"\r\n\r\n\r\n') && has('name="picture"; filename=')
  return isRight ? { status: 204 } : problem(400, 'form')
}
