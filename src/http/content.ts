import type { FastifyInstance } from 'fastify'
import type { BoundOperation } from '../contract/engine.ts'
import { type Failure, failure } from '../contract/errors.ts'
import { MalformedJson, parseJson } from '../json/json.ts'
import type { Stage } from './stage.ts'

export const notJson: Failure = failure('unsupported_media_type', 'send the body as Content-Type: application/json')
const encoded: Failure = failure('unsupported_media_type', 'send the body without Content-Encoding')

/** Replaces a body that was refused when it was read. */
export class RefusedBody {
  readonly failure: Failure

  constructor(refusal: Failure) {
    this.failure = refusal
  }
}

/** Makes the stage that checks the header fields of an operation's content, and prepares to read it. */
export function expectContent({ takesBody }: Pick<BoundOperation, 'takesBody'>): Stage {
  return takesBody ? admitContent : ignoreContent
}

/** An operation without a body ignores its media type, which Fastify would check (RFC 9110, section 9.3.5). */
const ignoreContent: Stage = ({ headers }) => {
  headers['content-type'] = undefined
  return undefined
}

const admitContent: Stage = ({ headers, raw: { httpVersion } }, { raw }) => {
  // A coding that is not decoded would make any content look like malformed JSON (RFC 9110, section 8.4).
  if (headers['content-encoding'] !== undefined) return encoded
  // A client that waits for a 100 sends its body once its credentials are valid (RFC 9110, section 10.1.1).
  if (httpVersion === '1.1' && headers.expect?.toLowerCase() === '100-continue') raw.writeContinue()
  return undefined
}

/**
 * Sets JSON as the only content that is read.
 *
 * @param app the context of the operations; a request's body is a `RefusedBody` where it was refused
 */
export function registerParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parseJson(bytes))
    } catch (error) {
      if (error instanceof MalformedJson) done(null, new RefusedBody(failure('malformed_body', error.message)))
      // Only errors are thrown here.
      else done(error as Error)
    }
  })
  // Content of an operation without a body is not read; Node drops it.
  app.addContentTypeParser('*', (request, _content, done) => {
    done(null, request.routeOptions.config.operation?.takesBody === true ? new RefusedBody(notJson) : undefined)
  })
}
