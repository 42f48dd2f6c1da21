import { expect, test } from 'vitest'
import { contractOf, json } from '../contracts.ts'
import { answer, runTestOf } from './run-test.ts'

const text = { type: 'string' }
const refused = { description: 'Refused.' }
const task = { $ref: '#/components/schemas/Task' }
const one = { 200: { description: 'A task.', content: json(task) }, 400: refused, 404: refused }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const body = { required: true, content: json(task) }

/** A contract of things that can be changed as a whole and in parts. */
const document = contractOf(
  {
    '/tasks': {
      post: { operationId: 'addTask', requestBody: body, responses: { ...one, 201: one[200] } },
      get: {
        operationId: 'listTasks',
        responses: { 200: { description: 'Tasks.', content: json({ type: 'array', items: task }) } },
      },
    },
    '/tasks/{id}': {
      parameters: [id],
      get: { operationId: 'getTask', responses: one },
      put: { operationId: 'replaceTask', requestBody: body, responses: one },
      patch: { operationId: 'changeTask', requestBody: body, responses: one },
      delete: { operationId: 'removeTask', responses: { 204: { description: 'Gone.' }, 404: refused } },
    },
  },
  {
    security: [],
    components: {
      schemas: {
        Task: {
          type: 'object',
          properties: {
            id: { type: 'integer', readOnly: true },
            title: { ...text, maxLength: 40 },
            effort: { type: 'integer', format: 'int32' },
            share: { type: 'number' },
            due: { anyOf: [{ ...text, format: 'date-time' }, { type: 'null' }] },
            lasts: { oneOf: [{ type: 'null' }, { ...text, format: 'duration' }] },
            state: { ...text, enum: ['open', 'shut', 'locked'], default: 'open' },
            tags: { type: 'array', items: { ...text, maxLength: 9 } },
            steps: { type: 'array', items: { type: 'object', properties: { text: { ...text, maxLength: 9 } } } },
            place: { type: 'object', properties: { city: { ...text, maxLength: 9 }, code: { type: 'integer' } } },
            changed: { ...text, format: 'date-time' },
            secret: { ...text, writeOnly: true },
            password: { ...text, maxLength: 9 },
          },
        },
      },
    },
  },
)

type Task = Record<string, unknown>

/** What a server does with what is sent. */
interface Ways {
  create?: (sent: Task) => Task
  replace?: (sent: Task, before: Task) => Task
  change?: (sent: Task, before: Task) => Task
  list?: (task: Task, created: Task) => Task
}

const known = ['title', 'effort', 'share', 'due', 'lasts', 'state', 'tags', 'steps', 'place']
const ofTask = (sent: Task) =>
  Object.fromEntries(Object.entries(sent).filter(([name, value]) => known.includes(name) && value !== Infinity))
const merged = (sent: Task, before: Task) => ({ ...before, ...ofTask(sent) })

/** The sent object; undefined for anything else. */
function taskIn(text: string): Task | undefined {
  try {
    const sent: unknown = JSON.parse(text)
    return typeof sent === 'object' && sent !== null && !Array.isArray(sent) ? (sent as Task) : undefined
  } catch {
    return undefined
  }
}

/** Serves tasks. It refuses what is no JSON object alone. */
function serveTasks({ create = ofTask, replace = ofTask, change = merged, list = (each) => each }: Ways) {
  const tasks = new Map<number, { created: Task; task: Task }>()
  let last = 0
  const reply = (method: string, url: string, text: string): [status: number, body?: unknown] => {
    if (method === 'GET' && url === '/tasks') {
      return [200, [...tasks].map(([id, { created, task }]) => ({ ...list(task, created), id }))]
    }
    const own = method === 'POST' ? ++last : Number(/^\/tasks\/(-?\d+)$/.exec(url)?.[1])
    const found = tasks.get(own)
    if (method !== 'POST' && found === undefined) return [404]
    if (method === 'GET') return [200, { ...found?.task, id: own }]
    if (method === 'DELETE') return tasks.delete(own) ? [204] : [404]
    const sent = taskIn(text)
    if (sent === undefined) return [400]
    const { id: _id, ...rest } = sent
    const changing = method === 'PUT' ? replace : change
    const task = found === undefined ? create(rest) : changing(rest, found.task)
    tasks.set(own, { created: found?.created ?? task, task })
    return [method === 'POST' ? 201 : 200, { ...ofTask(rest), id: own }]
  }
  return answer(({ method = '', url = '' }, body) => {
    const [status, content] = reply(method, url, body.toString())
    return content === undefined ? [status] : [status, JSON.stringify(content), 'application/json']
  })
}

/** @returns the lines of the test of state */
async function run(ways: Ways): Promise<{ code: number; lines: string[] }> {
  const url = await serveTasks(ways)
  return runTestOf(document, ['--url', url, '--seed', '8', '--only', 'addTask', '--seconds', '30'])
}

const before = (_sent: Task, kept: Task) => kept
const withoutFirstTag = (sent: Task) => ({ ...ofTask(sent), tags: (sent['tags'] as unknown[] | undefined)?.slice(1) })
const cut = (title: unknown) => (typeof title === 'string' ? title.slice(0, 12) : '')
const withShortTitle = (sent: Task) => ({ ...ofTask(sent), title: cut(sent['title']) })
const withLaterTime = (sent: Task) => ({
  ...ofTask(sent),
  ...(typeof sent['due'] === 'string' ? { due: sent['due'].replace(/T\d\d:/i, 'T07:') } : {}),
})
const states = (lines: string[]) => lines.filter((line) => line.startsWith('  creates '))

test.each<[string, Ways, RegExp]>([
  ['a PUT keeps nothing', { replace: before }, /GET \/tasks\/\d+: received .*, which PUT has sent$/],
  ['a PATCH keeps nothing', { change: before }, /GET \/tasks\/\d+: received .*, which PATCH has sent$/],
  ['a POST keeps nothing', { create: () => ({ title: 'a', effort: 1 }) }, /which POST has sent$/],
  [
    'nothing is ever kept',
    { create: () => ({ title: 'a' }), replace: () => ({ title: 'b' }), change: () => ({ title: 'c' }) },
    /received .*, which (?:POST|PUT|PATCH) has sent$/,
  ],
  [
    'a PUT loses a member',
    { replace: (sent) => ({ ...ofTask(sent), effort: undefined }) },
    /received no effort, expected -?\d+, which PUT has sent$/,
  ],
  [
    'a PATCH loses what is inside a member',
    { change: (sent, before) => ({ ...merged(sent, before), place: { city: 'a' } }) },
    /the place .*, which PATCH has sent$/,
  ],
  ['a PUT loses an item of a list', { replace: withoutFirstTag }, /the tags .*, which PUT has sent$/],
  ['a time is another one', { create: withLaterTime }, /the due "[^"]*", expected /],
  ['a text is cut', { create: withShortTitle }, /the title "[^"]*", expected /],
  [
    'a list shows what was before',
    { list: (_task, created) => created },
    /GET \/tasks: received .*, which (?:PUT|PATCH) has sent$/,
  ],
])('the suite finds that %s', async (_name, ways, problem) => {
  const { code, lines } = await run(ways)
  expect(states(lines)).toContainEqual(expect.stringMatching(problem))
  expect(code).toBe(1)
})

test('the last request of a report is the one that shows what is lost', async () => {
  const { lines } = await run({ replace: before })
  const [, path = ''] = / → GET (\S+): /.exec(states(lines).join()) ?? []
  const below = lines.slice(lines.findIndex((line) => line.startsWith('  creates ')) + 1)
  const requests = below.slice(
    0,
    below.findIndex((line) => !/^  (?:curl|printf) /.test(line)),
  )
  expect(path).toMatch(/^\/tasks\/\d+$/)
  expect(requests.at(-1)).toMatch(new RegExp(`^  curl -X GET \\S+${path}(?: |$)`))
})

test('a run leaves in place what its reports name', async () => {
  const url = await serveTasks({})
  const { lines } = await runTestOf(document, ['--url', url, '--seed', '7', '--seconds', '30'])
  const named = lines.flatMap((line) => /-X (?:PUT|PATCH|GET) (http\S+\/tasks\/\d+) /.exec(line)?.[1] ?? [])
  expect(named.length).toBeGreaterThan(1)
  for (const each of named) expect([each, (await fetch(each)).status]).toEqual([each, 200])
})

const inZone0 = (time: string) => (Number.isNaN(Date.parse(time)) ? time : new Date(time).toISOString())
const inDays = (_weeks: string, weeks: string) => `P${String(7 * Number(weeks))}D`
const plain = (sent: Task) => ({
  ...ofTask(sent),
  ...(typeof sent['title'] === 'string' ? { title: sent['title'].trim() } : {}),
  ...(typeof sent['due'] === 'string' ? { due: inZone0(sent['due']) } : {}),
  ...(typeof sent['lasts'] === 'string' ? { lasts: sent['lasts'].replace(/^P(\d+)W$/, inDays) } : {}),
  // The default.
  ...(sent['state'] === 'open' ? { state: undefined } : {}),
  ...(typeof sent['share'] === 'number' ? { share: Number(sent['share'].toPrecision(7)) } : {}),
  ...(Array.isArray(sent['tags']) ? { tags: [...new Set(sent['tags'])].sort() } : {}),
  changed: '2026-11-23T12:00:00Z',
})

test('a server that writes values in another form keeps its contract', async () => {
  const ways = { create: plain, replace: plain, change: (sent: Task, before: Task) => ({ ...before, ...plain(sent) }) }
  const { lines } = await run(ways)
  expect(states(lines)).toEqual([])
  expect(lines).toContainEqual(
    expect.stringMatching(/^  note: changed may be readOnly: GET \/tasks\/\d+: received the changed/),
  )
  expect(lines).toContainEqual(
    expect.stringMatching(/^  note: password may be writeOnly: GET \/tasks\/\d+: received no password/),
  )
  expect(lines.filter((line) => /note: secret/.test(line))).toEqual([])
})

/** A broken step may be null. */
const declaredStep = (step: Task | null) => (step?.['text'] === undefined ? {} : { text: step['text'] })
/** The declared members, as they were sent. */
const shown = ({ secret: _secret, ...sent }: Task) => ({
  ...sent,
  ...(sent['share'] === Infinity ? { share: 0 } : {}),
  ...(Array.isArray(sent['steps']) ? { steps: sent['steps'].map(declaredStep) } : {}),
})

test('a server that keeps what it is sent has no note of it', async () => {
  const known = {
    create: shown,
    replace: shown,
    change: (sent: Task, before: Task) => ({ ...before, ...shown(sent) }),
  }
  const { lines } = await run(known)
  expect(lines.filter((line) => /  creates |readOnly|writeOnly|another form/.test(line))).toEqual([])
})
