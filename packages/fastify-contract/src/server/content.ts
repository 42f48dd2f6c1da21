import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BoundOperation } from '../engine/engine.ts'
import { type Failure, failure } from './refusal.ts'
import { MalformedJson, RefusedJson, parseJson } from '../json/json.ts'
import { fieldValues } from './raw-headers.ts'
import type { Stage } from './hooks.ts'

const encoded: Failure = failure('unsupported_media_type', 'send the body without Content-Encoding')

/** Stands for a body that was refused when it was read. */
export class RefusedBody {
  readonly failure: Failure

  constructor(refusal: Failure) {
    this.failure = refusal
  }
}

/** Makes the stage that prepares for the content of an operation's requests. */
export function expectContent({ bodyTypes }: Pick<BoundOperation, 'bodyTypes'>): Stage {
  return bodyTypes.length > 0 ? admitContent : ignoreContent
}

/** An operation without a body ignores its media type, which Fastify would check (RFC 9110, section 9.3.5). */
const ignoreContent: Stage = ({ headers }) => {
  headers['content-type'] = undefined
  return undefined
}

const admitContent: Stage = (request, { raw }) => {
  const {
    headers,
    raw: { httpVersion, rawHeaders },
  } = request
  if (headers['content-type'] !== undefined) {
    // Of two fields Node takes the first; combined, as RFC 9110, section 5.2 says, they are no media type.
    const type = fieldValues(rawHeaders, 'content-type').join(', ')
    if (!isUtf8(type)) return refusedType(request).failure
    headers['content-type'] = type
  }
  // A coding that is not decoded would make any content look like malformed JSON (RFC 9110, section 8.4).
  if (headers['content-encoding'] !== undefined) return encoded
  // A client that waits for a 100 sends its body once its credentials are good (RFC 9110, section 10.1.1).
  if (httpVersion === '1.1' && headers.expect?.toLowerCase() === '100-continue') raw.writeContinue()
  return undefined
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
 * Has bodies read as JSON, and no other content.
 *
 * @param app the context of the operations; a request's body is a `RefusedBody` where it was refused
 * @param types the media types that the operations declare for their bodies, each of which is JSON
 * @param maxLevels how many objects and arrays of a body may be in one another
 */
export function registerParsers(app: FastifyInstance, types: readonly string[], maxLevels: number): void {
  app.removeAllContentTypeParsers()
  for (const type of new Set(types)) {
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, bytes, done) => {
      try {
        done(null, isDeclared(request, type) ? readBody(bytes, maxLevels) : refusedType(request))
      } catch (error) {
        // What is thrown is an Error, and Fastify catches none here.
        done(error as Error)
      }
    })
  }
  // Content of an operation without a body is not read; Node drops it.
  app.addContentTypeParser('*', (request, _content, done) => {
    done(null, bodyTypesOf(request).length > 0 ? refusedType(request) : undefined)
  })
}

function bodyTypesOf({ routeOptions }: FastifyRequest): string[] {
  return routeOptions.config.operation?.bodyTypes ?? []
}

function isDeclared(request: FastifyRequest, type: string): boolean {
  return bodyTypesOf(request).includes(type)
}

/** The body of a request whose Content-Type is missing or is not one that its operation declares. */
export function refusedType(request: FastifyRequest): RefusedBody {
  const types = bodyTypesOf(request).join(' or ')
  return new RefusedBody(failure('unsupported_media_type', `send the body as Content-Type: ${types} in UTF-8`))
}

function readBody(bytes: Buffer, maxLevels: number): unknown {
  try {
    return parseJson(bytes, maxLevels)
  } catch (error) {
    if (error instanceof MalformedJson) return new RefusedBody(failure('malformed_body', error.message))
    if (error instanceof RefusedJson) return new RefusedBody(failure('invalid_request', error.message))
    throw error
  }
}
