import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

export type Values = Record<string, unknown>

/** An official client, and the steps that it goes with the mock of its company's contract. */
export interface OfficialClient {
  /** Of npm, with its version. */
  package: string
  /** A file of the folder of contracts. */
  contract: string
  /** @param module what the package exports */
  run: (steps: Steps, origin: string, module: unknown) => Promise<void>
}

/** What became of a step. */
export interface Outcome {
  step: string
  verdict: 'ok' | 'wrong' | 'no agreement'
  why: string
}

const maxMilliseconds = 60_000

/** Goes steps one after the other, and keeps what became of each. A step that is wrong ends no other one. */
export class Steps {
  readonly outcomes: Outcome[] = []

  async take(step: string, work: () => Promise<void>): Promise<void> {
    try {
      await withinTime(work())
      this.outcomes.push({ step, verdict: 'ok', why: '' })
    } catch (error) {
      this.outcomes.push({ step, verdict: 'wrong', why: textOf(error) })
    }
  }

  /** Names a step on which contract and client do not agree. */
  leaveOut(step: string, why: string): void {
    this.outcomes.push({ step, verdict: 'no agreement', why })
  }
}

async function withinTime(work: Promise<void>): Promise<void> {
  const stopped = new AbortController()
  const late = sleep(maxMilliseconds, undefined, { signal: stopped.signal }).then(
    () => Promise.reject(new Error(`it takes longer than ${String(maxMilliseconds / 1_000)} s`)),
    () => undefined,
  )
  try {
    await Promise.race([work, late])
  } finally {
    stopped.abort()
  }
}

function textOf(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return `${error.message}: ${textOf(error.cause)}`
  const text = error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error)
  return text.replaceAll(/\s+/g, ' ').slice(0, 600)
}

/** @returns a member of a value, by its path, such as `data.0.id` */
export function at(value: unknown, path: string): unknown {
  // What a getter returns is anybody's guess.
  return path.split('.').reduce((whole, name): unknown => Reflect.get(Object(whole), name), value)
}

/** Calls a method of a client by its path, such as `customers.create`. */
export async function call(client: unknown, path: string, ...values: unknown[]): Promise<unknown> {
  return await callNow(client, path, ...values)
}

/** Calls what returns no promise. */
export function callNow(client: unknown, path: string, ...values: unknown[]): unknown {
  const end = path.lastIndexOf('.')
  const owner = end < 0 ? client : at(client, path.slice(0, end))
  const method = at(owner, path.slice(end + 1))
  if (typeof method !== 'function') throw new Error(`the client has no method ${path}`)
  return Reflect.apply(method, owner, values)
}

/** Makes an object of a class of a module. */
export function make(module: unknown, name: string, ...values: unknown[]): unknown {
  const Class = at(module, name)
  if (typeof Class !== 'function') throw new Error(`the module has no class ${name}`)
  return Reflect.construct(Class, values)
}

/** @returns the values of a page, a stream or another iterable; no more than 100 */
export async function all(iterable: unknown): Promise<unknown[]> {
  const values: unknown[] = []
  // What is none throws a TypeError.
  for await (const value of iterable as AsyncIterable<unknown>) {
    values.push(value)
    if (values.length > 100) throw new Error('it does not end: there are more than 100')
  }
  return values
}

/** @returns the data of the events of a stream, read without a client; at least two */
export async function eventsOf(url: string, body: Values): Promise<unknown[]> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer k' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const data = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'))
  if (data.length < 2) throw new Error(`${url} sends ${String(data.length)} events`)
  return data.map((line): unknown => JSON.parse(line.slice('data: '.length)))
}

/** A value as JSON shows it, without the classes of a client. */
export function plain(value: unknown): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value))
}

/** @throws Error unless the value has these members with these values, at each depth */
export function shows(value: unknown, members: unknown): void {
  const found = differences(plain(value), plain(members), '')
  if (found.length > 0) throw new Error(found.join('; '))
}

function differences(value: unknown, expected: unknown, path: string): string[] {
  if (typeof expected === 'object' && expected !== null && typeof value === 'object' && value !== null) {
    // A name may have dots.
    const members = new Map<string, unknown>(Object.entries(value))
    return Object.entries(expected).flatMap(([name, member]) =>
      differences(members.get(name), member, `${path}/${name}`),
    )
  }
  if (value === expected) return []
  const shown = value === undefined ? 'missing' : JSON.stringify(value).slice(0, 120)
  return [`${path} is ${shown}, not ${JSON.stringify(expected)}`]
}

/** What a client does with one kind of things. What it does not have is left away. */
export interface Kind {
  name: string
  /** What two things are made of. */
  values: readonly [Values, Values]
  create: (values: Values) => Promise<unknown>
  /** Whether the replies to a creation and an update show what was sent; by default it does. */
  replies?: boolean
  id: string
  get?: (id: string) => Promise<unknown>
  list?: () => Promise<unknown>
  /** What an update changes. */
  change?: Values
  update?: (id: string, change: Values) => Promise<unknown>
  remove?: (id: string) => Promise<unknown>
  /** What the reply to a removal shows, besides nothing. */
  removed?: (id: string) => unknown
  /** What is shown of what was sent; all of it by default. */
  shown?: (values: Values) => Values
  /** What a list shows of it; by default, as much. */
  listed?: (values: Values) => Values
  /** Whether an error says that there is no such thing; by default its status is 404. */
  isMissing?: (error: unknown) => boolean
}

/** Creates two things, and gets, lists, updates and removes them. */
export async function liveThrough(steps: Steps, kind: Kind): Promise<void> {
  const { name, values, create, get, list, change = {}, update, remove } = kind
  const { replies = true, shown = (sent: Values) => sent, removed, isMissing = isNotFound } = kind
  const { listed: inList = shown } = kind
  const ids: string[] = []
  const idOf = (thing: unknown) => String(at(thing, kind.id))
  const listed = async () => {
    const things = await list?.()
    if (!Array.isArray(things)) throw new Error(`the list is none: ${JSON.stringify(plain(things)).slice(0, 200)}`)
    return things as unknown[]
  }
  // A mock may begin with examples. What is posted with the id of one takes its place.
  let before: string[] = []
  const listsOnly = (things: readonly unknown[], expected: readonly string[]) => {
    assert.deepEqual(things.map(idOf).toSorted(), [...new Set([...before, ...expected])].toSorted(), 'the list')
  }
  if (list !== undefined) {
    await steps.take(`${name}: list at first`, async () => {
      before = (await listed()).map(idOf)
    })
  }
  await steps.take(`${name}: create`, async () => {
    for (const sent of values) {
      const thing = await create(sent)
      ids.push(idOf(thing))
      if (replies) shows(thing, shown(sent))
    }
    assert.equal(new Set(ids).size, ids.length, `two have one id: ${ids.join(', ')}`)
  })
  const [first, second] = ids
  if (first === undefined || second === undefined) return
  if (get !== undefined) {
    await steps.take(`${name}: get`, async () => {
      const thing = await get(first)
      shows(thing, { ...shown(values[0]) })
      assert.equal(idOf(thing), first)
      assert.deepEqual(plain(await get(first)), plain(thing), 'two reads differ')
    })
  }
  if (list !== undefined) {
    await steps.take(`${name}: list`, async () => {
      const things = await listed()
      listsOnly(things, ids)
      for (const [index, id] of ids.entries())
        shows(
          things.find((thing) => idOf(thing) === id),
          inList(values[index] ?? {}),
        )
    })
  }
  if (update !== undefined) {
    await steps.take(`${name}: update`, async () => {
      const after = { ...shown(values[0]), ...shown(change) }
      const thing = await update(first, change)
      if (replies) shows(thing, after)
      assert.equal(idOf(thing), first)
      if (get !== undefined) shows(await get(first), after)
      if (list !== undefined) {
        const things = await listed()
        listsOnly(things, ids)
        shows(
          things.find((each) => idOf(each) === first),
          inList({ ...values[0], ...change }),
        )
      }
    })
  }
  if (remove === undefined) return
  await steps.take(`${name}: delete`, async () => {
    const reply = await remove(first)
    if (removed !== undefined) shows(reply, removed(first))
    before = before.filter((id) => id !== first)
    if (list !== undefined) listsOnly(await listed(), [second])
    if (get !== undefined) {
      const missing = await get(first).then(
        (thing) => ({ thing: plain(thing) }),
        (error: unknown) => ({ error }),
      )
      assert.ok('error' in missing, `what was deleted is still read: ${JSON.stringify(missing).slice(0, 200)}`)
      assert.ok(isMissing(missing.error), `another error than "not found": ${textOf(missing.error)}`)
      shows(await get(second), shown(values[1]))
    }
  })
}

function isNotFound(error: unknown): boolean {
  return ['status', 'statusCode', 'code', 'responseInfo.statusCode'].some((path) => at(error, path) === 404)
}

/** Creates some things, and reads all of them page by page. */
export async function page(
  steps: Steps,
  name: string,
  create: (index: number) => Promise<unknown>,
  read: () => Promise<unknown[]>,
  id: string,
): Promise<void> {
  await steps.take(`${name}: page`, async () => {
    const made = (await read()).map((thing) => String(at(thing, id)))
    for (let index = 0; index < 5; index++) made.push(String(at(await create(index), id)))
    const listed = (await read()).map((thing) => String(at(thing, id)))
    assert.deepEqual(listed.toSorted(), made.toSorted())
  })
}
