import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify'
import {
  type ContentKind,
  type MediaType,
  createMatcher,
  isRange,
  kindOf,
  parseMediaType,
} from '../document/media-type.ts'
import type { BoundOperation } from '../engine/engine.ts'
import type { RequestBody } from '../engine/request-body.ts'
import { Refusal } from '../engine/refusal.ts'
import { MalformedJson, RefusedJson, parseJson } from '../json/json.ts'
import { parseMultipart, parseUrlencoded } from './forms.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The declared media type of the content, and later what was parsed. Undefined without content. */
    content?: Content | undefined
  }
}

interface Content extends Omit<RequestBody, 'value'> {
  kind: ContentKind
  /** Of a multipart form. */
  boundary: string | undefined
}

/** Drops the media type for an operation without a body, because Fastify would check it (RFC 9110, section 9.3.5). */
const ignoreContent: preParsingHookHandler = ({ headers }, _reply, payload, done) => {
  headers['content-type'] = undefined
  done(null, payload)
}

/** Makes the hook that checks the media type of a request. */
export function expectContent({ bodyTypes }: Pick<BoundOperation, 'bodyTypes'>): preParsingHookHandler {
  if (bodyTypes.length === 0) return ignoreContent
  const contentOf = createContentMatcher(bodyTypes)
  const inUtf8 = bodyTypes.every((type) => kindOf(type) !== 'bytes') ? ', in UTF-8' : ''
  const remedy = `Content-Type must be ${bodyTypes.join(' or ')}${inUtf8}`
  return (request, { raw }, payload, done) => {
    const { headers } = request
    // Content codings are not decoded: any content would be malformed JSON (RFC 9110, section 8.4).
    if (headers['content-encoding'] !== undefined) {
      throw new Refusal('unsupported_media_type', 'Content-Encoding is not supported; send the body without it')
    }
    const field = headers['content-type']
    const content = field === undefined ? undefined : contentOf(field)
    if (content === undefined && (field !== undefined || hasContent(headers))) {
      throw new Refusal('unsupported_media_type', remedy)
    }
    headers['content-type'] = content?.contentType
    // The parser of JSON adds to it.
    request.content = content === undefined ? undefined : { ...content }
    // Invites the body only now, after authentication (RFC 9110, section 10.1.1).
    if (request.raw.httpVersion === '1.1' && /\b100-continue\b/i.test(headers.expect ?? '')) raw.writeContinue()
    done(null, payload)
  }
}

/** Makes the function that finds the declared type for a Content-Type header; undefined if none fits. */
function createContentMatcher(bodyTypes: string[]): (field: string) => Content | undefined {
  const indexOf = createMatcher(bodyTypes)
  let last: [field: string, content: Content | undefined] = ['', undefined]
  return (field) => {
    // Most requests have the same.
    if (field !== last[0]) last = [field, find(field)]
    return last[1]
  }

  function find(field: string): Content | undefined {
    const type = parseMediaType(field)
    if (type === undefined) return undefined
    const index = indexOf(type)
    const kind = kindOf(type.essence)
    if (index === -1 || (kind !== 'bytes' && !isInUtf8(type))) return undefined
    const boundaries = type.parameters.get('boundary') ?? []
    return { index, kind, contentType: type.essence, boundary: boundaries.length === 1 ? boundaries[0] : undefined }
  }
}

/** Of two charsets, parsers differ in which one they use. */
function isInUtf8({ parameters }: MediaType): boolean {
  const hasOther = parameters.get('charset')?.some((charset) => !/^utf-?8$/i.test(charset)) === true
  return !hasOther && ![...parameters.keys()].some((name) => name.startsWith('charset*'))
}

function hasContent(headers: Record<string, unknown>): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers
  return coding !== undefined || length !== '0'
}

/**
 * Parses the bodies of these media types. `expectContent` refuses others.
 *
 * @param app the context of the operations
 * @param maxLevels the maximum nesting depth of objects and arrays
 */
export function registerBodies(app: FastifyInstance, types: readonly string[], maxLevels: number): void {
  const parse = (request: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void) => {
    done(null, parseBody(request, bytes, maxLevels))
  }
  app.decorateRequest('content')
  app.removeAllContentTypeParsers()
  const essences = types.filter((type) => !isRange(type)).flatMap((type) => parseMediaType(type)?.essence ?? [])
  for (const essence of new Set(essences)) app.addContentTypeParser<Buffer>(essence, { parseAs: 'buffer' }, parse)
  if (types.some(isRange)) app.addContentTypeParser<Buffer>(/^./, { parseAs: 'buffer' }, parse)
  // Node discards the content of an operation without a body.
  app.addContentTypeParser('*', (_request, _content, done) => {
    done(null)
  })
}

/** @throws Refusal */
function parseBody({ content }: FastifyRequest, bytes: Buffer, maxLevels: number): unknown {
  // Set by `expectContent`.
  const { kind, boundary } = content!
  switch (kind) {
    case 'json': {
      const { value, sources, source } = parsedJson(bytes, maxLevels)
      Object.assign(content!, { sources, source })
      return value
    }
    case 'form':
      return parseUrlencoded(bytes)
    case 'multipart':
      return parseMultipart(bytes, boundary)
    case 'text':
      if (!isUtf8(bytes)) throw new Refusal('malformed_body', 'the body is not UTF-8')
      return bytes.toString()
    case 'bytes':
      return bytes
  }
}

function parsedJson(bytes: Buffer, maxLevels: number) {
  try {
    return parseJson(bytes, maxLevels)
  } catch (error) {
    if (error instanceof MalformedJson) throw new Refusal('malformed_body', error.message)
    throw error instanceof RefusedJson ? new Refusal('invalid_request', error.message) : error
  }
}
