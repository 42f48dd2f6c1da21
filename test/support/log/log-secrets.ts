import type { IncomingMessage } from 'node:http'

/**
 * The members that a log line may have. Of a request, only method, path and request id are logged.
 */
const members: readonly string[] = (
  'level time pid hostname msg requestId method operation path status milliseconds reason err unanswered connections ' +
  'signal shutdown'
).split(' ')

/** Shorter values occur in any text by chance. */
const shortest = 8

/** Values of clients that the log must not repeat: tokens, query values, texts of bodies. */
export class LogSecrets {
  readonly #secrets = new Set<string>()
  /** These must not be logged even if a client sends them as its path or request id. */
  readonly #tokens = new Set<string>()

  /** Notes the random part of an issued token. */
  noteToken(token: string): void {
    this.#tokens.add(secretOf(token))
  }

  /** Notes the credentials and the query values of a request. */
  noteRequest({ url = '', headers: { authorization } }: Pick<IncomingMessage, 'url' | 'headers'>): void {
    if (authorization !== undefined) this.#note(secretOf(authorization.replace(/^bearer +/i, '')))
    for (const [, value = ''] of url.matchAll(/[?&][^=&]*=([^&]*)/g)) {
      this.#note(value)
      this.#note(new URLSearchParams(`value=${value}`).get('value') ?? '')
    }
  }

  /** Notes the strings of a JSON body, or any other body as a whole. */
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
   * @throws Error when a line has a secret, a text that looks like a token, or an unknown member
   */
  assertAbsent(lines: readonly string[]): void {
    for (const line of lines) {
      const entry = JSON.parse(line) as Record<string, unknown>
      // Path and request id may come from the client. The address and the time may repeat a value by chance.
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

/** The part of a token that is never shown. */
function secretOf(token: string): string {
  return token.replace(/^plst_/, '').slice(6)
}

/** Decodes percent-encoding repeatedly, and leaves malformed escapes. */
function percentDecoded(text: string): string {
  const decoded = text.replaceAll(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return decoded === text ? text : percentDecoded(decoded)
}
