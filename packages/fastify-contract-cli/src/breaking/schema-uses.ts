import { type ContractDocument, kindOf, operationsOf, unmatchedResponsesOf } from 'fastify-contract/document'
import type { ContractResponse, MediaType } from 'fastify-contract/document'
import type { Subschema } from 'fastify-contract/schema'
import type { Reading } from './accepted-values.ts'

/** Where requests or responses have values of a schema. */
export interface SchemaUse extends Reading {
  schema: Subschema
}

/** Lists the uses of schemas in a contract, by what is the same for clients of two contracts. */
export function schemaUses(document: ContractDocument): Map<string, SchemaUse> {
  const uses = new Map<string, SchemaUse>()

  function add(key: readonly string[], { schema = true }: { schema?: Subschema }, reading: Reading) {
    uses.set(key.join(' '), { schema, ...reading })
  }

  function addContent(
    key: readonly string[],
    content: Record<string, MediaType> = {},
    direction: Reading['direction'],
  ) {
    for (const [type, media] of Object.entries(content)) {
      const isText = kindOf(type) !== 'json'
      add([...key, type], media, { direction, isText })
      if (media.itemSchema !== undefined)
        add([...key, type, 'items'], { schema: media.itemSchema }, { direction, isText })
    }
  }

  function addResponses(key: readonly string[], responses: Record<string, ContractResponse>) {
    for (const [status, { content, headers = {} }] of Object.entries(responses)) {
      addContent([...key, status], content, 'response')
      for (const [name, header] of Object.entries(headers))
        add([...key, status, 'header', name.toLowerCase()], header, { direction: 'response', isText: true })
    }
  }

  for (const { method, path, parameters, object } of operationsOf(document)) {
    const operation = [method, withoutNames(path)]
    for (const { name, in: place, content, ...parameter } of parameters) {
      const id = place === 'path' ? withoutNames(path.split(`{${name}}`, 1).join('')) : name
      const key = [...operation, place, place === 'header' ? id.toLowerCase() : id]
      if (content === undefined) add(key, parameter, { direction: 'request', isText: true })
      else addContent(key, content, 'request')
    }
    addContent([...operation, 'body'], object.requestBody?.content, 'request')
    addResponses(operation, object.responses)
  }
  addResponses(['unmatched'], unmatchedResponsesOf(document) ?? {})
  return uses
}

/** The names of path parameters are not sent. */
function withoutNames(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}')
}
