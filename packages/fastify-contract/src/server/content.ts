import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { BoundOperation } from '../engine/engine.ts'
import { MalformedJson, type ParsedJson, RefusedJson, parseJson } from '../json/json.ts'
import { Refusal } from '../engine/refusal.ts'

const token = "[\\w!#$%&'*+.^`|~-]+"
const quotedString = '"(?:[^"\\\\]|\\\\.)*"'
const utf8 = 'charset=(?:utf-?8|"utf-?8")'
const otherParameter = `(?!charset[*=])${token}=(?:${token}|${quotedString})`

const utf8Parameters = new RegExp(`^(?:;[ \\t]*(?:(?:${utf8}|${otherParameter})[ \\t]*)?)*$`, 'i')

/**
 * The media type of a Content-Type header, in lower case. Empty if the parameters are malformed (RFC 9110, section
 * 5.6.6) or have a charset other than UTF-8. Of two charsets, parsers differ in which one they use.
 */
function utf8TypeOf(field: string): string {
  const [type = ''] = field.split(';', 1)
  return utf8Parameters.test(field.slice(type.length)) ? type.trim().toLowerCase() : ''
}

/** Drops the media type for an operation without a body, because Fastify would check it (RFC 9110, section 9.3.5). */
const ignoreContent: onRequestHookHandler = ({ headers }, _reply, done) => {
  headers['content-type'] = undefined
  done()
}

/** Makes the hook that checks the media type of a request. */
export function expectContent({ bodyTypes }: Pick<BoundOperation, 'bodyTypes'>): onRequestHookHandler {
  if (bodyTypes.length === 0) return ignoreContent
  const types = bodyTypes.map((type) => type.toLowerCase())
  const remedy = `Content-Type must be ${bodyTypes.join(' or ')}, in UTF-8`
  return ({ headers, raw: { httpVersion } }, { raw }, done) => {
    // Content codings are not decoded: any content would be malformed JSON (RFC 9110, section 8.4).
    if (headers['content-encoding'] !== undefined) {
      throw new Refusal('unsupported_media_type', 'Content-Encoding is not supported; send the body without it')
    }
    const field = headers['content-type']
    const type = field === undefined ? undefined : utf8TypeOf(field)
    if (type === undefined ? hasContent(headers) : !types.includes(type)) {
      throw new Refusal('unsupported_media_type', remedy)
    }
    headers['content-type'] = type
    // Invites the body only now, after authentication (RFC 9110, section 10.1.1).
    if (httpVersion === '1.1' && /\b100-continue\b/i.test(headers.expect ?? '')) raw.writeContinue()
    done()
  }
}

function hasContent(headers: Record<string, unknown>): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers
  return coding !== undefined || length !== '0'
}

/**
 * Buffers bodies of these media types. `expectContent` refuses others.
 *
 * @param app the context of the operations
 */
export function registerBodies(app: FastifyInstance, types: readonly string[]): void {
  app.removeAllContentTypeParsers()
  for (const type of new Set(types)) {
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (_request, bytes, done) => {
      done(null, bytes)
    })
  }
  // Node discards the content of an operation without a body.
  app.addContentTypeParser('*', (_request, _content, done) => {
    done(null)
  })
}

/** Parses the whole body of a request. @throws Refusal */
export type BodyReader = (bytes: Buffer) => ParsedJson

/** @param maxLevels the maximum nesting depth of objects and arrays */
export function createJsonReader(maxLevels: number): BodyReader {
  return (bytes) => {
    try {
      return parseJson(bytes, maxLevels)
    } catch (error) {
      if (error instanceof MalformedJson) throw new Refusal('malformed_body', error.message)
      throw error instanceof RefusedJson ? new Refusal('invalid_request', error.message) : error
    }
  }
}
