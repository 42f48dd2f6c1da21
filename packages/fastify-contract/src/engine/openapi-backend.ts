import type { Ajv } from 'ajv'
import { type Document, type Handler, OpenAPIBackend, type Operation, ValidationContext } from 'openapi-backend'
import { type ContractDocument, type ContractOperation, isJson } from '../document/document.ts'
import type { ParsedJson } from '../json/json.ts'
import { createCompiler } from '../schema/ajv.ts'
import { describeErrors } from '../schema/describe-errors.ts'
import { SchemaRewriter } from '../schema/rewrite-schema.ts'
import { validateValue } from '../schema/validation.ts'
import type { Caller } from '../types/handler-types.ts'
import type { CompileSteps } from './compile-queue.ts'
import { listParametersOf, splitLists } from './list-parameters.ts'
import { Refusal } from './refusal.ts'
import type { AnyReply } from './reply-validation.ts'

/** A parsed and authenticated request to one operation. */
export interface OperationRequest {
  headers: Record<string, string | string[] | undefined>
  path: Record<string, string>
  query: Record<string, string | string[]>
  /** The path and query of the request target. */
  url: string
  /** The parsed JSON body; undefined without one. */
  body: ParsedJson | undefined
  /** The client's preferred media type for the response; undefined if the operation offers only one. */
  accept?: string | undefined
  /** Undefined only if the operation's security allows it. */
  caller: Caller | undefined
}

/** The handler of any operation. `Handler` is the exact type. */
export type AnyHandler = (input: never, context: never) => Promise<AnyReply> | AnyReply

/** The parts of a valid request, coerced to their declared types. */
interface AnyInput {
  path: unknown
  query: unknown
  header: unknown
  body: unknown
  /** Only if the operation offers several media types. */
  accept?: string
}

/** An operation with its handler. */
interface HandledOperation {
  /** Compiles the validators of its requests. */
  compile: () => CompileSteps
  /** @throws Refusal if the request breaks the contract */
  validateRequest: (request: OperationRequest) => AnyInput
  handler: (input: AnyInput, context: object) => Promise<AnyReply> | AnyReply
}

/**
 * Binds handlers to operations and compiles the request validators with openapi-backend. It does not call `handleRequest`,
 * because Fastify already matches, parses and authenticates requests.
 *
 * @param document a dereferenced contract, checked by `fastify-contract generate`
 * @param operations the operations of the document
 * @param handlers by operationId
 * @returns the operations in the same order
 */
export async function bindOperations(
  document: ContractDocument,
  operations: ContractOperation[],
  handlers: Partial<Record<string, AnyHandler>>,
): Promise<HandledOperation[]> {
  const schemas = document.components?.schemas ?? {}
  const rewriter = new SchemaRewriter(schemas, 'request')
  const parts = new Map<string, unknown>()
  const compilers = { json: createCompiler('json', rewriter, parts), text: createCompiler('text', rewriter, parts) }
  const known = new Map(
    operations.map((operation, index) => {
      const name = nameOf(index)
      return [name, describe(operation, name, rewriter, parts)] as const
    }),
  )
  const backend = new OpenAPIBackend({
    definition: emptyDefinition,
    // Compiles validators on first use, and skips the check of the document.
    quick: true,
    strict: true,
  })
  await backend.init()
  backend.router.getOperation = (name) => known.get(name)
  backend.validator.router = backend.router
  // Its own creates an Ajv for each schema. It calls nothing but `compile`.
  backend.validator.getAjv = (context) =>
    compilers[context === ValidationContext.RequestBody ? 'json' : 'text'] as unknown as Ajv
  // Its types declare the arguments of handleRequest.
  for (const [index, { id }] of operations.entries()) backend.register(nameOf(index), handlers[id] as Handler)

  return operations.map(({ parameters }, index) => {
    const name = nameOf(index)
    const lists = listParametersOf(parameters, schemas)
    const headerNames = parameters.filter((parameter) => parameter.in === 'header').map((parameter) => parameter.name)
    return {
      // The registered handler. Validated input has the type that it declares.
      handler: backend.handlers[name] as unknown as HandledOperation['handler'],
      *compile() {
        backend.validator.getRequestValidatorsForOperation(name)
        yield
        for (const { compileNext } of Object.values(compilers)) while (compileNext()) yield
      },
      validateRequest({ headers, path, query, url, body, accept }) {
        const parts = {
          path,
          query,
          // A copy, because coerced values replace texts.
          header: headerNames.length > 0 ? withoutPrototype(headers) : headers,
          cookie: {},
          requestBody: body?.value,
        }
        const repeated = lists.length > 0 ? splitLists(lists, query, url) : []
        if (repeated.length > 0) throw new Refusal('invalid_request', repeated.join('; '))
        const validators = backend.validator.getRequestValidatorsForOperation(name)
        const errors = validateValue(validators, parts, 'request', body?.sources)
        if (errors.length > 0) throw new Refusal('invalid_request', describeErrors(errors))
        // Node lowercases the names of headers; handlers get them as the contract writes them.
        const given = headerNames.map((name) => [name, parts.header[name.toLowerCase()]] as const)
        const header = Object.fromEntries(given.filter(([, value]) => value !== undefined))
        const input = { path, query, header, body: parts.requestBody }
        return accept === undefined ? input : { ...input, accept }
      },
    }
  })
}

function withoutPrototype(headers: OperationRequest['headers']): OperationRequest['headers'] {
  // Object.create returns any.
  return Object.assign(Object.create(null) as object, headers)
}

/** With operations, openapi-backend's router would dereference the definition and search it for every handler. */
const emptyDefinition: Document = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} }

/**
 * The name of an operation in openapi-backend. Not every operationId works: some names are reserved for hooks, and lookups
 * find inherited members such as `toString`.
 */
function nameOf(index: number): string {
  return `operation${String(index)}`
}

/** A checked contract has one media type for a request body. */
function bodySchemaOf({ requestBody }: ContractOperation['object']): unknown {
  const [content] = Object.entries(requestBody?.content ?? {}).filter(([type]) => isJson(type))
  return content === undefined ? undefined : (content[1].schema ?? true)
}

/**
 * Describes an operation for openapi-backend. Its schemas are references, because openapi-backend copies them.
 *
 * @param parts receives the schemas, by their identifiers
 */
function describe(
  { method, path, parameters, object }: ContractOperation,
  name: string,
  rewriter: SchemaRewriter,
  parts: Map<string, unknown>,
): Operation {
  const refTo = (part: string, schema: unknown) => {
    const id = `${name}/${part}`
    parts.set(id, schema)
    return { $ref: id }
  }
  return {
    operationId: name,
    method,
    path,
    parameters: parameters.map(({ name, in: place, required = false, schema }, index) => {
      const value = rewriter.defaultOf(schema)
      // openapi-backend types a default as a union of JSON values.
      const withDefault = value === undefined ? {} : { default: value as string }
      return { name, in: place, required, schema: { ...refTo(String(index), schema), ...withDefault } }
    }),
    ...(object.requestBody === undefined
      ? {}
      : {
          requestBody: {
            required: object.requestBody.required === true,
            content: { 'application/json': { schema: refTo('body', bodySchemaOf(object)) } },
          },
        }),
    responses: {},
  }
}
