import type { Json } from '../draw/json-value.ts'
import { type FlatSchema, flatten, merged, namedTypesOf } from '../draw/flat-schema.ts'
import { canonical } from '../ground/exact-json.ts'
import { type Members, isList, isNumber, isObject } from '../ground/members.ts'

/** How a response shows a value that was sent, from the worst way on. */
const ways = ['changed', 'missing', 'in another form', 'kept'] as const
export type Shown = (typeof ways)[number]

const worst = (shown: readonly Shown[]) => ways.find((way) => shown.includes(way)) ?? 'kept'
const best = (shown: readonly Shown[]) => ways.findLast((way) => shown.includes(way)) ?? 'changed'

/** An integer that comes back as its neighbour has been a double on its way. */
export function isRounded(sent: Json, received: Json, schema: FlatSchema): boolean {
  if (typeof sent !== 'bigint' || !isNumber(received) || sent === received) return false
  const isFloat = formsOf(schema, sent).some((form) => namedTypesOf(form).includes('number'))
  return !isFloat && Number(sent) === Number(received)
}

/** What alternatives make of a schema for a value: those that the value keeps, each with what holds beside them. */
function formsOf(schema: FlatSchema, value: Json): FlatSchema[] {
  const [alternatives, ...choices] = schema.choices
  if (alternatives === undefined) return [schema]
  const { source } = schema
  const forms = alternatives
    .filter((each) => source.problemsOf(value, each, 'request').length === 0)
    .map((each) => flatten(each, source))
    .filter(({ targets }) => !targets.some((target) => schema.targets.includes(target)))
  if (forms.length === 0) return [{ ...schema, choices: [] }]
  return forms.flatMap((form) => formsOf(merged({ ...schema, choices }, form), value))
}

/** How a value that was sent is shown by the one that was received; undefined for none. */
export function shownAs(sent: Json, received: Json, schema: FlatSchema, method: string): Shown {
  if (canonical(sent) === canonical(received ?? null)) return 'kept'
  return best(formsOf(schema, sent).map((form) => shownIn(form, sent, received, method)))
}

function shownIn(schema: FlatSchema, sent: Json, received: Json, method: string): Shown {
  if (received === undefined) return isEmpty(sent, schema) ? 'in another form' : 'missing'
  if (typeof sent === 'string' && typeof received === 'string') return isSameText(sent, received, schema)
  const isFloat = namedTypesOf(schema).includes('number') || typeof sent === 'number'
  if (isFloat && isNumber(sent) && isNumber(received)) return isNear(Number(sent), Number(received))
  // A change of a part may add to a list.
  if (isList(sent) && isList(received)) {
    const shown = isSameList(sent, received, schema)
    return method === 'PATCH' && shown === 'changed' ? 'in another form' : shown
  }
  if (!isObject(sent) || !isObject(received)) return 'changed'
  return isSameObject(sent, received, schema, method)
}

/** Many a writer leaves out what is empty, zero, or the default. */
function isEmpty(value: Json, { default: usual }: FlatSchema): boolean {
  if (typeof value === 'string') return normal(value) === '' || value === usual
  if (isObject(value) || isList(value)) return Object.keys(value).length === 0
  return !value || value === usual
}

/** A text without what software takes away, and in one of its forms. */
function normal(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\p{C}/gu, '').replaceAll(/\s+/g, ' ').trim()
}

/** One form of each value of a format that has several; undefined where it is not known. */
const formOf: Record<string, (text: string) => unknown> = {
  'date-time': secondsOf,
  date: secondsOf,
  time: (text) => secondsOf(`2000-01-01T${text}`),
  duration: () => undefined,
  uri: (text) => URL.parse(text)?.href,
  url: (text) => URL.parse(text)?.href,
  ipv6: (text) => URL.parse(`http://[${text}]/`)?.href,
  byte: (text) => Buffer.from(text, 'base64').toString('hex'),
}

function secondsOf(text: string): number | undefined {
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

function isSameText(sent: string, received: string, { assertions: { format = '' } }: FlatSchema): Shown {
  const form = formOf[format] ?? normal
  const one = form(sent)
  return normal(sent) === normal(received) || one === undefined || one === form(received)
    ? 'in another form'
    : 'changed'
}

/** A number may be kept as a float, or with two decimals. */
function isNear(sent: number, received: number): Shown {
  const isClose = Math.abs(sent - received) <= Math.max(0.005, Math.abs(sent) * 1e-6)
  return isClose || !Number.isFinite(sent) ? 'in another form' : 'changed'
}

function isSameList(
  sent: readonly Json[],
  received: readonly Json[],
  { assertions: { items = {} }, source }: FlatSchema,
): Shown {
  const member = flatten(items, source)
  const shown = sent.map((item, index) => shownAs(item, received[index], member, 'PUT'))
  if (sent.length === received.length && shown.every((each) => each === 'kept')) return 'kept'
  const isAlike = sent.length === received.length && !shown.includes('changed') && !shown.includes('missing')
  // A list may be a set.
  const [some, others] = [sent, received].map((list) => [...new Set(list.map(canonical))].sort().join())
  return isAlike || some === others ? 'in another form' : 'changed'
}

/** What no schema declares may be dropped. */
function isSameObject(sent: Members, received: Members, { properties, source }: FlatSchema, method: string): Shown {
  if (Object.keys(properties).length === 0) return 'in another form'
  const names = Object.keys(sent).filter((name) => Object.hasOwn(properties, name))
  const shown = names.map((name): Shown => {
    const member = flatten(properties[name]!, source)
    if (member.isReadOnly || member.isWriteOnly) return 'kept'
    return shownAs(sent[name], Object.hasOwn(received, name) ? received[name] : undefined, member, method)
  })
  return worst(shown)
}
