import { type ContractDocument, kindOf, operationsIn, operationsOf } from 'fastify-contract/document'
import { unmatchedResponsesOf } from 'fastify-contract/document'
import type { ContractResponse, MediaType } from 'fastify-contract/document'
import type { Subschema } from 'fastify-contract/schema'
import type { Reading } from './accepted-values.ts'

/** Where requests or responses have values of a schema. */
export interface SchemaUse extends Reading {
  schema: Subschema
  /** The key of its operation; undefined for responses to unmatched requests. */
  operation: string | undefined
  /** Whether it is in failures only: responses with a status 4xx or 5xx, and `default` beside a success. */
  isFailure: boolean
}

type Role = Pick<SchemaUse, 'direction' | 'operation' | 'isFailure'>

/** Lists the uses of schemas in a contract, by what is the same for clients of two contracts. */
export function schemaUses(document: ContractDocument): Map<string, SchemaUse> {
  const uses = new Map<string, SchemaUse>()

  function add(key: readonly string[], { schema = true }: { schema?: Subschema }, role: Role, isText: boolean) {
    uses.set(key.join(' '), { schema, isText, ...role })
  }

  function addContent(key: readonly string[], content: Record<string, MediaType> = {}, role: Role) {
    for (const [type, media] of Object.entries(content)) {
      const isText = kindOf(type) !== 'json'
      add([...key, type], media, role, isText)
      if (media.itemSchema !== undefined) add([...key, type, 'items'], { schema: media.itemSchema }, role, isText)
    }
  }

  function addResponses(operation: string | undefined, responses: Record<string, ContractResponse>) {
    const hasSuccess = operation === undefined || Object.keys(responses).some((status) => status.startsWith('2'))
    for (const [status, { content, headers = {} }] of Object.entries(responses)) {
      const key = [operation ?? 'unmatched', status]
      const isFailure = status === 'default' ? hasSuccess : /^[45]/.test(status)
      const role = { direction: 'response', operation, isFailure } as const
      addContent(key, content, role)
      for (const [name, header] of Object.entries(headers))
        add([...key, 'header', name.toLowerCase()], header, role, true)
    }
  }

  for (const { method, path, parameters, object } of operationsOf(document)) {
    const operation = keyOf(method, path)
    const role = { direction: 'request', operation, isFailure: false } as const
    for (const { name, in: place, content, ...parameter } of parameters) {
      const id = place === 'path' ? withoutNames(path.split(`{${name}}`, 1).join('')) : name
      const key = [operation, place, place === 'header' ? id.toLowerCase() : id]
      if (content === undefined) add(key, parameter, role, true)
      else addContent(key, content, role)
    }
    addContent([operation, 'body'], object.requestBody?.content, role)
    addResponses(operation, object.responses)
  }
  addResponses(undefined, unmatchedResponsesOf(document) ?? {})
  return uses
}

/** The names of the operations of a contract, by what is the same for clients of two contracts. */
export function operationNames({ paths = {} }: ContractDocument): Map<string, string> {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    operationsIn(item).map(({ method, written }) => [keyOf(method, path), written.operationId] as const),
  )
  return new Map(all)
}

function keyOf(method: string, path: string): string {
  return `${method} ${withoutNames(path)}`
}

/** The names of path parameters are not sent. */
function withoutNames(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}')
}
