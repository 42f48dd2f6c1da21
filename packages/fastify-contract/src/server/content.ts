import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { MalformedJson, RefusedJson, parseJson } from '../json/json.ts'
import type { BoundOperation } from '../engine/engine.ts'
import { fieldValues } from './raw-headers.ts'
import { Refusal } from '../engine/refusal.ts'

/** Makes the hook that prepares a request for the content that its operation takes. */
export function expectContent({ bodyTypes }: Pick<BoundOperation, 'bodyTypes'>): onRequestHookHandler {
  return bodyTypes.length > 0 ? admitContent : ignoreContent
}

/** An operation without a body ignores its media type, which Fastify would check (RFC 9110, section 9.3.5). */
const ignoreContent: onRequestHookHandler = ({ headers }, _reply, done) => {
  headers['content-type'] = undefined
  done()
}

const admitContent: onRequestHookHandler = (request, { raw }, done) => {
  const {
    headers,
    raw: { httpVersion, rawHeaders },
  } = request
  if (headers['content-type'] !== undefined) {
    // Of two fields Node takes the first; combined, as RFC 9110, section 5.2 says, they are no media type.
    const type = fieldValues(rawHeaders, 'content-type').join(', ')
    if (!isUtf8(type)) throw refusedType(request)
    headers['content-type'] = type
  }
  // A coding that is not decoded would make any content look like malformed JSON (RFC 9110, section 8.4).
  if (headers['content-encoding'] !== undefined) {
    throw new Refusal('unsupported_media_type', 'send the body without Content-Encoding')
  }
  // A client that waits for a 100 sends its body once its credentials are good (RFC 9110, section 10.1.1).
  if (httpVersion === '1.1' && headers.expect?.toLowerCase() === '100-continue') raw.writeContinue()
  done()
}

const token = "[\\w!#$%&'*+.^`|~-]+"
const quotedString = '"(?:[^"\\\\]|\\\\.)*"'
const utf8 = 'charset=(?:utf-?8|"utf-?8")'
const otherParameter = `(?!charset[*=])${token}=(?:${token}|${quotedString})`
const utf8Parameters = new RegExp(`^(?:;[ \\t]*(?:(?:${utf8}|${otherParameter})[ \\t]*)?)*$`, 'i')

/**
 * Whether the parameters of a media type are as RFC 9110, section 5.6.6 has them, and none names another charset than
 * UTF-8. Readers differ in which of two they take, and in what they make of others.
 */
function isUtf8(type: string): boolean {
  const start = type.indexOf(';')
  return start === -1 || utf8Parameters.test(type.slice(start))
}

/**
 * Has bodies read as JSON, and refuses other content.
 *
 * @param app the context of the operations; the body of a request is a `ParsedJson`
 * @param types the media types that the operations declare for their bodies, each of which is JSON
 * @param maxLevels how many objects and arrays of a body may be in one another
 */
export function registerParsers(app: FastifyInstance, types: readonly string[], maxLevels: number): void {
  app.removeAllContentTypeParsers()
  for (const type of new Set(types)) {
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, bytes, done) => {
      try {
        if (!bodyTypesOf(request).includes(type)) throw refusedType(request)
        done(null, parseJson(bytes, maxLevels))
      } catch (error) {
        // What is thrown is an Error, and Fastify catches none here.
        done(refusalOf(error as Error))
      }
    })
  }
  // Node drops the content of an operation that takes none.
  app.addContentTypeParser('*', (request, _content, done) => {
    if (bodyTypesOf(request).length > 0) done(refusedType(request))
    else done(null)
  })
}

function bodyTypesOf({ routeOptions }: FastifyRequest): string[] {
  return routeOptions.config.operation?.bodyTypes ?? []
}

/** Refuses a request whose Content-Type is missing or is not one that its operation declares. */
export function refusedType(request: FastifyRequest): Refusal {
  const types = bodyTypesOf(request).join(' or ')
  return new Refusal('unsupported_media_type', `send the body as Content-Type: ${types} in UTF-8`)
}

function refusalOf(error: Error): Error {
  if (error instanceof MalformedJson) return new Refusal('malformed_body', error.message)
  return error instanceof RefusedJson ? new Refusal('invalid_request', error.message) : error
}
