import { stringifyJson } from 'fastify-contract/json'
import { type Members, isObject } from '../suite/ground/members.ts'

/** A server-sent event (HTML standard, section 9.2.6) of a value: one of its fields, or else of data. */
export function eventText(value: unknown): string {
  // An example may be written as it is sent.
  if (typeof value === 'string' && /^(?:event|data|id|retry)?:/.test(value)) return value.replace(/\n*$/, '\n\n')
  const { data, ...fields }: Members = isEvent(value) ? value : { data: value }
  const text = typeof data === 'string' ? data : stringifyJson(data)
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}`)
  const named = Object.entries(fields).map(([name, field]) => `${name}: ${String(field)}`)
  return `${[...named, ...lines].join('\n')}\n\n`
}

/** Whether a value is the fields of an event, and not the data of one. */
function isEvent(value: unknown): value is Members {
  if (!isObject(value) || !('data' in value)) return false
  const { data: _data, ...others } = value
  return Object.entries(others).every(([name, field]) => {
    const isText = ['string', 'number', 'bigint'].includes(typeof field) && !/[\r\n]/.test(String(field))
    return ['event', 'id', 'retry'].includes(name) && isText
  })
}
