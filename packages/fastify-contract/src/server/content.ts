import { isUtf8 } from 'node:buffer'
import type { FastifyContentTypeParser, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type ContentKind,
  type MediaType,
  createMatcher,
  isRange,
  kindOf,
  maxParameters,
  parseMediaType,
} from '../document/media-type.ts'
import type { BoundOperation } from '../engine/engine.ts'
import type { RequestBody } from '../engine/request-body.ts'
import { Refusal, unavailable } from '../engine/refusal.ts'
import { MalformedJson, RefusedJson, parseJson } from '../json/json.ts'
import { parseMultipart, parseUrlencoded } from './forms.ts'
import type { Limits } from './limits.ts'
import { readContent } from './read-content.ts'

/** The name under which a request keeps the declared media type of its content, and later what was parsed. */
export const content: unique symbol = Symbol.for('fastify-contract.content')

declare module 'fastify' {
  interface FastifyRequest {
    [content]?: Content | undefined
  }
}

interface Content extends RequestBody {
  kind: ContentKind
  /** Of a multipart form. */
  boundary: string | undefined
  /** The most bytes. */
  maxBytes: number
  /** Whether nothing is a body, too: an empty text, or no bytes. */
  isRequired: boolean
}

/** Drops the media type for an operation without a body, because Fastify would check it (RFC 9110, section 9.3.5). */
const ignoreContent: ContentCheck = ({ headers }) => {
  headers['content-type'] = undefined
}

/** Checks a request before its content is read. @throws Refusal */
export type ContentCheck = (request: FastifyRequest, reply: FastifyReply) => void

/** Makes the check of the media type of a request to one route. A refusal says what is accepted. */
export function expectContent({
  method,
  bodyTypes,
  bodyLimits,
  requiresBody,
}: Pick<BoundOperation, 'method' | 'bodyTypes' | 'bodyLimits' | 'requiresBody'>): ContentCheck {
  if (bodyTypes.length === 0) return ignoreContent
  const contentOf = createContentMatcher({ bodyTypes, bodyLimits, requiresBody })
  // RFC 5789, section 2.2.
  const accepted: Record<string, string> = method === 'patch' ? { 'Accept-Patch': bodyTypes.join(', ') } : {}
  const inUtf8 = bodyTypes.every((type) => kindOf(type) !== 'bytes') ? ', in UTF-8' : ''
  const allTypes = `Content-Type must be ${bodyTypes.join(' or ')}`
  const remedy = `${allTypes}${inUtf8}`
  let routeLimit: number | undefined
  return (request, { raw }) => {
    const { headers } = request
    // Content codings are not decoded: any content would be malformed JSON (RFC 9110, section 8.4).
    if (headers['content-encoding'] !== undefined) {
      // RFC 9110, section 12.5.3.
      const message = 'Content-Encoding is not supported; send the body without it'
      throw new Refusal('unsupported_media_type', message, { 'Accept-Encoding': 'identity' })
    }
    const field = headers['content-type']
    const found = field === undefined ? undefined : contentOf(field)
    if (found === 'charset') {
      throw new Refusal('unsupported_media_type', `${allTypes}, in UTF-8${otherCharset(field)}`, accepted)
    }
    if (found === undefined && (field !== undefined || hasContent(headers))) {
      // A semicolon in quotes makes the message longer, and nothing else.
      const isLong = field !== undefined && field.split(';', maxParameters + 2).length > maxParameters + 1
      const limit = isLong ? `, with at most ${String(maxParameters)} parameters` : ''
      throw new Refusal('unsupported_media_type', remedy + limit, accepted)
    }
    // Before Fastify refuses a QUERY of no media type by itself.
    if (requiresBody && found === undefined) throw emptyBody()
    headers['content-type'] = found?.contentType
    // Fastify makes `routeOptions` anew each time.
    const maxBytes = found?.maxBytes ?? (routeLimit ??= request.routeOptions.bodyLimit)
    // What is parsed is added to it.
    if (found !== undefined) request[content] = { ...found, maxBytes }
    if (headers.expect === undefined) return
    // Invites the body only now, after authentication, and none that will be refused (RFC 9110, section 10.1.1).
    const isExpected = request.raw.httpVersion === '1.1' && /\b100-continue\b/i.test(headers.expect)
    const isTooLarge = Number(headers['content-length']) > maxBytes
    if (isExpected && !isTooLarge) raw.writeContinue()
  }
}

/** The refusal of a request without the body that its operation requires. */
export function emptyBody(): Refusal {
  return new Refusal('malformed_body', 'the body is empty')
}

/** A declared media type; its `maxBytes` is undefined for the limit of the route. */
type Declared = Omit<Content, 'maxBytes'> & { maxBytes: number | undefined }

type Found = Declared | 'charset' | undefined

/**
 * Makes the function that finds the declared type for a Content-Type header; undefined if none fits, `charset` if only the
 * charset does not.
 */
function createContentMatcher({
  bodyTypes,
  bodyLimits,
  requiresBody: isRequired,
}: Pick<BoundOperation, 'bodyTypes' | 'bodyLimits' | 'requiresBody'>): (field: string) => Found {
  const indexOf = createMatcher(bodyTypes)
  let last: [field: string, content: Found] = ['', undefined]
  return (field) => {
    // Most requests have the same.
    if (field !== last[0]) last = [field, find(field)]
    return last[1]
  }

  function find(field: string): Found {
    const type = parseMediaType(field)
    if (type === undefined) return undefined
    const index = indexOf(type)
    const kind = kindOf(type.essence)
    if (index === -1) return undefined
    if (kind !== 'bytes' && !isInUtf8(type)) return 'charset'
    const boundaries = type.parameters.get('boundary') ?? []
    // Some parsers read `boundary*` or `boundary*0` (RFC 2231).
    const isExtended = [...type.parameters.keys()].some((name) => name.startsWith('boundary*'))
    const boundary = boundaries.length === 1 && !isExtended ? boundaries[0] : undefined
    const parsed = { value: undefined, sources: undefined, source: undefined }
    const maxBytes = kind === 'bytes' ? bodyLimits[index] : undefined
    return { index, kind, contentType: type.essence, boundary, maxBytes, isRequired, ...parsed }
  }
}

/** Of two charsets, parsers differ in which one they use. */
function isInUtf8({ parameters }: MediaType): boolean {
  const hasOther = parameters.get('charset')?.some((charset) => !isUtf8Name(charset)) === true
  return !hasOther && ![...parameters.keys()].some((name) => name.startsWith('charset*'))
}

function isUtf8Name(charset: string): boolean {
  return /^utf-?8$/i.test(charset)
}

function otherCharset(field = ''): string {
  const charset =
    parseMediaType(field)
      ?.parameters.get('charset')
      ?.find((each) => !isUtf8Name(each)) ?? ''
  return /^[\w.:+-]{1,40}$/.test(charset) ? `, not in ${charset}` : ''
}

function hasContent(headers: Record<string, unknown>): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers
  return coding !== undefined || length !== '0'
}

/** Runs a step that works on so many bytes of content, now or when others have had their turn. */
export type TakeTurn = (bytes: number, step: () => void) => void

export interface BodyOptions extends Pick<Limits, 'bodyLevels' | 'waitingBodyBytes'> {
  takeTurn: TakeTurn
}

/** Parses the bodies of these media types. `expectContent` refuses others. */
export function registerBodies(
  app: FastifyInstance,
  types: readonly string[],
  { bodyLevels, waitingBodyBytes, takeTurn }: BodyOptions,
): void {
  let waiting = 0
  const parse: FastifyContentTypeParser = (request, payload, done) => {
    // Set by `expectContent`.
    const { kind, maxBytes } = request[content]!
    readContent(request, payload, maxBytes, (error, bytes) => {
      // Bytes are not parsed.
      const parsed = kind === 'bytes' ? 0 : bytes.length
      if (error !== null) done(error)
      else if (waiting > 0 && parsed > 0 && waiting + parsed > waitingBodyBytes) {
        done(unavailable('too many bodies are waiting to be parsed; try again in a second'))
      } else {
        waiting += parsed
        takeTurn(bytes.length, () => {
          waiting -= parsed
          // Otherwise nobody waits for the response any more.
          if (request.socket.destroyed) return
          let value: unknown
          try {
            value = parseBody(request, bytes, bodyLevels)
          } catch (error) {
            // What a parser throws outside of its first call would end the process.
            done(error instanceof Error ? error : new Error(String(error)))
            return
          }
          done(null, value)
        })
      }
    })
  }
  app.decorateRequest(content)
  app.removeAllContentTypeParsers()
  const essences = types.filter((type) => !isRange(type)).flatMap((type) => parseMediaType(type)?.essence ?? [])
  for (const essence of new Set(essences)) app.addContentTypeParser(essence, parse)
  if (types.some(isRange)) app.addContentTypeParser(/^./, parse)
  // Node discards the content of an operation without a body.
  app.addContentTypeParser('*', (_request, _content, done) => {
    done(null)
  })
}

function parseBody(request: FastifyRequest, bytes: Buffer<ArrayBuffer>, maxLevels: number): unknown {
  // Set by `expectContent`.
  const parsed = request[content]!
  if (bytes.length === 0 && !parsed.isRequired) return undefined
  switch (parsed.kind) {
    case 'json':
      try {
        const { value, sources, source } = parseJson(bytes, maxLevels)
        parsed.sources = sources
        parsed.source = source
        return value
      } catch (error) {
        if (error instanceof MalformedJson) throw new Refusal('malformed_body', error.message)
        throw error instanceof RefusedJson ? new Refusal('invalid_request', error.message) : error
      }
    case 'form':
      return parseUrlencoded(bytes)
    case 'multipart':
      return parseMultipart(bytes, parsed.boundary)
    case 'text':
      if (!isUtf8(bytes)) throw new Refusal('malformed_body', 'the body is not UTF-8')
      return bytes.toString()
    case 'bytes':
      // Not a view of what else was read from the socket.
      return bytes.length < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes
  }
}
