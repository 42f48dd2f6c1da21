import type { IncomingMessage } from 'node:http'

/**
 * What a log line may have: nothing that a client sent but its method, its path without a query, and its request id.
 */
const members: readonly string[] = [
  'level',
  'time',
  'pid',
  'hostname',
  'msg',
  'requestId',
  'method',
  'operation',
  'path',
  'status',
  'milliseconds',
  'reason',
  'err',
  'unanswered',
  'connections',
  'signal',
  'shutdown',
]

/** Shorter values are found in any text. */
const shortest = 8

/** What clients have told a server and its log must not repeat: tokens, values of queries, texts of bodies. */
export class LogSecrets {
  readonly #secrets = new Set<string>()
  /** A client may not have these logged even as its path or its request id. */
  readonly #tokens = new Set<string>()

  /** Notes a token that was issued by its random part. */
  noteToken(token: string): void {
    this.#tokens.add(secretOf(token))
  }

  /** Notes what a request has before its body. */
  noteRequest({ url = '', headers: { authorization } }: Pick<IncomingMessage, 'url' | 'headers'>): void {
    if (authorization !== undefined) this.#note(secretOf(authorization.replace(/^bearer +/i, '')))
    for (const [, value = ''] of url.matchAll(/[?&][^=&]*=([^&]*)/g)) {
      this.#note(value)
      this.#note(new URLSearchParams(`value=${value}`).get('value') ?? '')
    }
  }

  /** Notes the texts of a body, of one that is no JSON the whole. */
  noteBody(body: string): void {
    try {
      JSON.parse(body, (_key, value: unknown) => {
        if (typeof value === 'string') this.#note(value)
        return value
      })
    } catch {
      this.#note(body)
    }
  }

  #note(secret: string): void {
    if (secret.length >= shortest && secret.trim() !== '') this.#secrets.add(JSON.stringify(secret).slice(1, -1))
  }

  /**
   * @throws Error when a line has a secret, whatever looks like a token, or a member that could hold what a client sent
   */
  assertAbsent(lines: readonly string[]): void {
    for (const line of lines) {
      const entry = JSON.parse(line) as Record<string, unknown>
      // A client may have the path and the request id logged, and may happen to say where the server listens, or digits
      // that the time of a line has too.
      const rest = String(entry['msg']).startsWith('Server listening at ')
        ? ''
        : JSON.stringify({ ...entry, path: undefined, requestId: undefined, time: undefined })
      const secret = [...this.#secrets].find((each) => rest.includes(each))
      if (secret !== undefined) throw new Error(`the log repeats ${secret}: ${line}`)
      const decoded = percentDecoded(line)
      const token = [...this.#tokens].find((each) => decoded.includes(each))
      if (token !== undefined) throw new Error(`the log repeats the token ${token}: ${line}`)
      if (/plst_[\w-]{20}|eyJ[\w-]*\.[\w-]{10}|bearer [\w-]{8}/i.test(decoded))
        throw new Error(`the log has what looks like a token: ${line}`)
      const unknown = Object.keys(entry).filter((name) => !members.includes(name))
      if (unknown.length > 0)
        throw new Error(`the log has ${unknown.join()}, which may hold what a client sent: ${line}`)
      if (typeof entry['path'] === 'string' && entry['path'].includes('?'))
        throw new Error(`the log has a query: ${line}`)
    }
  }
}

/** The part of a token that is nowhere shown. */
function secretOf(token: string): string {
  return token.replace(/^plst_/, '').slice(6)
}

/** Undoes percent-encoding as often as there is any, also where a part of the text is no such encoding. */
function percentDecoded(text: string): string {
  const decoded = text.replaceAll(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return decoded === text ? text : percentDecoded(decoded)
}
