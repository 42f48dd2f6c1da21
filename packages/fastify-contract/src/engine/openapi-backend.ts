import type { ValidateFunction } from 'ajv'
import type { Document, Operation } from 'openapi-backend'
import type { ContractDocument, ContractOperation } from '../document/document.ts'
import { isRange } from '../document/media-type.ts'
import { stringifyJson } from '../json/json.ts'
import { createCompiler } from '../schema/check/ajv.ts'
import { describeErrors, describeProblems } from '../schema/check/describe-errors.ts'
import { SchemaRewriter } from '../schema/check/rewrite-schema.ts'
import type { Subschema } from '../schema/read/schema.ts'
import { type Origin, validate } from '../schema/check/validation.ts'
import type { CompileSteps } from './compile-queue.ts'
import type { FormField, FormValue } from './form-fields.ts'
import { loadOpenApiBackend } from './load-openapi-backend.ts'
import { withoutPrototype } from './parameter-texts.ts'
import { type ParameterTexts, createParameterReader, schemaOfParameter } from './parameters.ts'
import { Refusal } from './refusal.ts'
import { type SplitTarget, createTargetSplitter } from './request-target.ts'
import type { AnyReply } from './reply-validation.ts'
import { type DeclaredBody, type RequestBody, bodiesOf } from './request-body.ts'
import { Reading } from './texts.ts'

/** A parsed request to one operation. */
export interface OperationRequest {
  headers: Record<string, string | string[] | undefined>
  path: Record<string, string>
  query: Record<string, string | string[]>
  url: string
  body: RequestBody | undefined
  /** The client's preferred media type for the response; undefined if the operation offers only one. */
  accept?: string | undefined
}

/** The handler of any operation. `Handler` is the exact type. */
export type AnyHandler = (input: never, context: never) => Promise<AnyReply> | AnyReply

/** The parts of a valid request, coerced to their declared types. */
export interface OperationInput {
  path: unknown
  query: unknown
  /** The whole query, if the operation declares it as one value. */
  querystring?: unknown
  header: unknown
  cookie: unknown
  body: unknown
  /** The declared media type of the body, if there are several, or a range. */
  contentType?: string
  /** The media type of the body, if a range is declared. */
  mediaType?: string
  /** Only if the operation offers several media types. */
  accept?: string
}

const { OpenAPIBackend, OpenAPIValidator } = loadOpenApiBackend()

interface HandledOperation {
  compile: () => CompileSteps
  /** @throws Refusal if the request breaks the contract */
  validateRequest: (request: OperationRequest) => OperationInput
  handler: (input: OperationInput, context: object) => Promise<AnyReply> | AnyReply
}

/**
 * Binds handlers to operations and compiles the request validators with openapi-backend. It does not call `handleRequest`,
 * because Fastify already matches, parses and authenticates requests.
 *
 * @param document a contract, checked by `fastify-contract generate`
 * @param maxLevels the maximum nesting depth of objects and arrays in JSON
 * @returns the operations in the same order
 */
export function bindOperations(
  document: ContractDocument,
  operations: ContractOperation[],
  handlers: Partial<Record<string, AnyHandler>>,
  maxLevels = Infinity,
  splitTarget: SplitTarget = createTargetSplitter(),
): HandledOperation[] {
  const schemas = document.components?.schemas ?? {}
  const rewriter = new SchemaRewriter(schemas, 'request')
  const parts = new Map<string, Subschema>()
  const compiler = createCompiler(rewriter, parts)
  const backend = new OpenAPIBackend({ definition: emptyDefinition })
  const validator = new OpenAPIValidator({
    definition: emptyDefinition,
    // It would compile those of its definition. `compile` is called for each operation.
    lazyCompileValidators: true,
    // It makes an Ajv for each schema, which compiles nothing itself.
    ajvOpts: { meta: false },
    customizeAjv: (ajv) => Object.assign(ajv, { compile: compiler.compile }),
  })
  /** Of operations without a body, by their parameters: many operations have the same. */
  const shared = new Map<string, ValidateFunction[]>()

  return operations.map((operation, index) => {
    // Not every operationId works: some names are reserved for hooks.
    const name = `operation${String(index)}`
    backend.register(name, handlers[operation.id])
    // openapi-backend has one schema for a body. So each media type is an operation of its own there.
    const bodies = bodiesOf(operation, schemas)
    /** By the index of the media type. The last of each validates the parameters. */
    const validators: ValidateFunction[][] = []
    const parameters = createParameterReader(operation, schemas, splitTarget)
    const hasParameters = operation.parameters.length > 0
    const isChosen = bodies.length > 1 || bodies.some(({ type }) => isRange(type))
    const registered: unknown = backend.handlers[name]
    return {
      // Validated input has the type that the handler declares.
      handler: registered as HandledOperation['handler'],
      *compile() {
        for (const [at, body] of (bodies.length === 0 ? [undefined] : bodies).entries()) {
          const part = `${name}/${String(at)}`
          const text = body === undefined ? stringifyJson(operation.parameters) : part
          const described = () => describe(operation, body, part, rewriter, parts)
          validators[at] = shared.get(text) ?? validator.buildRequestValidatorsForOperation(described()) ?? []
          shared.set(text, validators[at])
          yield
        }
        while (compiler.compileNext()) yield
      },
      validateRequest({ headers, path, query, url, body, accept }) {
        const { kind, value, source, sources } = body ?? noBody
        const declared = bodies[body?.index ?? 0]
        let parts: ParameterTexts = { path, query, header: headers, cookie: {}, requestBody: undefined }
        let origin: Origin = { sources, texts: undefined }
        let form: FormValue | undefined
        if (hasParameters || kind === 'form' || kind === 'multipart') {
          const reading = new Reading(maxLevels, sources)
          // The server parses both kinds of forms into fields.
          if (kind === 'form' || kind === 'multipart') form = declared?.readForm(value as FormField[], reading)
          parts = parameters.read(parts, url, reading)
          if (reading.problems.length > 0) throw new Refusal('invalid_request', describeProblems(reading.problems))
          origin = reading
        }
        if (declared !== undefined) parts.requestBody = form === undefined ? value : form.value
        if (source !== undefined)
          origin.sources = new Map([...(origin.sources ?? []), [parts, new Map([['requestBody', source]])]])
        // The schema applies neither to bytes, nor to a text that is declared as something else.
        const isValidated = kind !== 'bytes' && (kind !== 'text' || declared?.isOfText === true)
        const all = validators[body?.index ?? 0]!
        // Without parameters, only a query that is not declared could be wrong.
        const isWithout = !hasParameters && Object.keys(query).length === 0
        const used = isValidated ? (isWithout ? all.slice(0, -1) : all) : all.slice(-1)
        const { errors } = validate(used, parts, 'request', origin)
        if (errors.length > 0) throw new Refusal('invalid_request', describeErrors(errors))
        form?.putFiles()
        // Node lowercases the names of headers; handlers get them as the contract writes them.
        const header = parameters.headerNames.length > 0 ? withoutPrototype({}) : {}
        for (const name of parameters.headerNames) {
          const value = parts.header[name.toLowerCase()]
          if (value !== undefined) header[name] = value
        }
        const input: OperationInput = {
          path: parts.path,
          query: parts.query,
          header,
          cookie: parts.cookie,
          body: parts.requestBody,
        }
        const whole = parameters.querystring === undefined ? undefined : parts.query[parameters.querystring]
        if (parameters.querystring !== undefined) input.query = {}
        if (whole !== undefined) input.querystring = whole
        if (isChosen && body !== undefined && declared !== undefined) tellType(input, declared, body)
        if (accept !== undefined) input.accept = accept
        return input
      },
    }
  })
}

/** A definition with the operations would be dereferenced, and searched for every handler. */
const emptyDefinition: Document = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} }

const noBody: RequestBody = { value: undefined }

function tellType(input: OperationInput, { type }: DeclaredBody, { contentType }: RequestBody): void {
  input.contentType = type
  if (isRange(type) && contentType !== undefined) input.mediaType = contentType
}

/**
 * Describes an operation for openapi-backend. Its schemas are references, because openapi-backend copies them.
 *
 * @param parts receives the schemas, by their identifiers
 */
function describe(
  { method, path, parameters, object }: ContractOperation,
  body: DeclaredBody | undefined,
  name: string,
  rewriter: SchemaRewriter,
  parts: Map<string, Subschema>,
): Operation {
  const refTo = (part: string, schema: Subschema) => {
    const id = `${name}/${part}`
    parts.set(id, schema)
    return { $ref: id }
  }
  const content = body === undefined ? undefined : { 'application/json': { schema: refTo('body', body.schema) } }
  const required = object.requestBody?.required === true
  return {
    operationId: name,
    method,
    path,
    parameters: parameters.map((parameter, index) => {
      const { name, in: place, required = false } = parameter
      const schema = schemaOfParameter(parameter)
      const value = required ? undefined : rewriter.defaultOf(schema)
      const withDefault: object = value === undefined ? {} : { default: value }
      // openapi-backend does not know the place. The value is the only one of the query.
      return {
        name,
        in: place === 'querystring' ? 'query' : place,
        required,
        schema: { ...refTo(String(index), schema), ...withDefault },
      }
    }),
    ...(content === undefined ? {} : { requestBody: { required, content } }),
    responses: {},
  }
}
