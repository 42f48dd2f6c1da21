/** How a body of a media type is read; `MediaKind` of `message-types.ts` says the same to the compiler. */
export function mediaKind(mediaType: string): 'json' | 'text' | 'bytes' {
  const type = essence(mediaType)
  if (type === 'application/json' || type.endsWith('+json')) return 'json'
  return type.startsWith('text/') ? 'text' : 'bytes'
}

/** Whether two media types are the same but for their parameters (RFC 9110, section 8.3.1). */
export function sameMediaType(one: string, other: string): boolean {
  return essence(one) === essence(other)
}

function essence(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
}
