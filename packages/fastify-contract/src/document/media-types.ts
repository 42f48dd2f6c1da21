import type { OperationObject } from './document.ts'

/** Whether a media type is JSON: `application/json`, or one with the suffix `+json` (RFC 6839, section 3.1). */
export function isJson(type: string): boolean {
  return /^(?:application\/json|[^;]*\+json)$/i.test(type)
}

/** Whether a media type is text, which the service sends in UTF-8. */
export function isText(type: string): boolean {
  return /^text\//i.test(type)
}

/** The media types that the successful responses of an operation declare, in their order. */
export function offeredTypes({ responses }: Pick<OperationObject, 'responses'>): string[] {
  const successful = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return [...new Set(successful.flatMap(([, { content }]) => Object.keys(content ?? {})))]
}
