import { framingOf } from 'fastify-contract/document'
import { isSchema } from 'fastify-contract/schema'
import type { ContractObject, Mending } from './keyword.ts'

const sequential = 'text/event-stream, application/jsonl, application/x-ndjson or application/json-seq'

/** Rejects `itemSchema` where no items can be sent. */
export function rejectOtherItems({ object: { content } }: ContractObject, { resolve, reject }: Mending): void {
  for (const [type, written] of Object.entries(isSchema(content) ? content : {})) {
    const media = resolve(written)
    if (media?.['itemSchema'] === undefined) continue
    const at = { object: media, key: 'itemSchema' }
    if (framingOf(type) === undefined)
      reject(at, `itemSchema: ${type} is no sequence of items; use ${sequential}, or schema`)
    else if ('schema' in media) reject(at, 'itemSchema: stands beside schema; remove one of them')
  }
}
