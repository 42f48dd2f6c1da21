import { framingOf, isJson } from 'fastify-contract/document'
import { isObject } from 'fastify-contract/json'
import { type NamedSchemas, type Schema, type Subschema, inPlace, typesOf } from 'fastify-contract/schema'
import { namedSchemas } from './context.ts'
import { asSchema } from '../rules/as-schema.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'
import type { Draft } from '../yaml/node.ts'

/** The fields of an event (HTML standard, section 9.2.6). */
const fields: readonly string[] = ['event', 'data', 'id', 'retry']

/** The schema of the `data` of an event. */
interface EventData {
  /** The schema of the event. */
  event: Schema
  properties: Draft
  /** That of the value that the text is the JSON of; undefined for any other text. */
  content: Subschema | undefined
}

/**
 * Reads `data` of events that is JSON, by `contentMediaType` and `contentSchema`, as a value of that schema. Handlers give
 * this value, and the server writes the JSON.
 */
export function readEvents(objects: readonly ContractObject[], { document, reject }: Mending): void {
  const schemas = namedSchemas(document)
  const streams = objects.flatMap(({ object: media, kind, name }) => {
    const { itemSchema } = media
    if (kind !== 'responseContent' || framingOf(name) !== 'events' || !isObject(itemSchema)) return []
    const events = inPlace(itemSchema, schemas)
    return [{ media, events, data: events.flatMap((event) => dataOf(event, schemas)) }]
  })
  const eventObjects = new Set<object>(streams.flatMap(({ media, events }) => [media, ...events]))
  for (const { media, events, data } of streams) {
    for (const { properties } of events) rejectOtherFields(properties, reject)
    const jsonData = data.filter(({ content }) => content !== undefined)
    const isAlwaysJson = jsonData.length === data.length
    for (const { event, properties, content } of jsonData) {
      const at = { object: properties, key: 'data' }
      if (isUsedElsewhere(event, eventObjects, objects, schemas))
        reject(at, 'data: its schema is also used for other than events, where data is text; write one for events')
      else if (!isAlwaysJson && typesOf(content, schemas).has('string'))
        reject(at, 'data: the text of another event could be JSON of this one; use an object')
      properties['data'] = content
    }
    if (isAlwaysJson && jsonData.length > 0) media['x-event-data'] = 'json'
  }
}

function dataOf(event: Schema, schemas: NamedSchemas): EventData[] {
  const { properties } = event
  const data = isObject(properties) ? properties['data'] : undefined
  if (!isObject(properties) || !isObject(data)) return []
  const { contentSchema, contentMediaType }: Draft = {
    ...inPlace(data, schemas, 'always').find((each) => 'contentSchema' in each),
  }
  const isOfJson = typeof contentMediaType === 'string' && isJson(contentMediaType)
  return [{ event, properties, content: isOfJson ? asSchema(contentSchema) : undefined }]
}

function rejectOtherFields(properties: unknown, reject: Mending['reject']): void {
  if (!isObject(properties)) return
  for (const name of Object.keys(properties)) {
    if (!fields.includes(name))
      reject({ object: properties, key: name }, `${name}: is no field of an event; use ${fields.join(', ')}`)
  }
}

/** Whether a named schema is also referred to where a value is no event. */
function isUsedElsewhere(
  schema: Schema,
  eventObjects: ReadonlySet<object>,
  objects: readonly ContractObject[],
  schemas: NamedSchemas,
): boolean {
  const isNamed = Object.values(schemas).includes(schema)
  const others = objects.filter(
    ({ object, kind }) => kind === 'schema' && '$ref' in object && !eventObjects.has(object),
  )
  return (
    isNamed &&
    others.some(({ object }) => inPlace({ $ref: String(object['$ref']) }, schemas, 'always').includes(schema))
  )
}
