/** A response of the server, as bytes in latin1. */
interface Response {
  status: number
  /** Names in lower case. */
  headers: Map<string, string>
  body: string
}

/** What every final response has. */
const required = ['x-request-id', 'cache-control', 'x-content-type-options', 'date']

/**
 * Takes what a connection has received apart (RFC 9112, section 6.3).
 *
 * @param received a character for each byte
 * @returns the responses that are whole, and the rest: the beginning of one that is not
 */
export function responsesIn(received: string): { responses: Response[]; rest: string } {
  const responses: Response[] = []
  let rest = received
  for (;;) {
    const [head, status, lines = ''] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest) ?? []
    if (head === undefined) return { responses, rest }
    const fields = lines.split('\r\n').map((line) => line.split(/: *(.*)/))
    const headers = new Map(fields.map(([name = '', value = '']) => [name.toLowerCase(), value]))
    const behind = rest.slice(head.length)
    const length = bodyLength(headers, behind)
    if (length === undefined) return { responses, rest }
    responses.push({ status: Number(status), headers, body: behind.slice(0, length) })
    rest = behind.slice(length)
  }
}

/** The bytes of a body with its framing; undefined where it is not whole. */
function bodyLength(headers: Response['headers'], behind: string): number | undefined {
  // A response to HEAD has the headers of a body and none.
  if (behind === '' || behind.startsWith('HTTP/1.1 ')) return 0
  if (headers.get('transfer-encoding') === 'chunked') return chunkedLength(behind)
  const length = Number(headers.get('content-length') ?? 0)
  return behind.length < length ? undefined : length
}

function chunkedLength(behind: string): number | undefined {
  for (let at = 0; ;) {
    const line = behind.indexOf('\r\n', at)
    const size = line === -1 ? NaN : Number.parseInt(behind.slice(at, line), 16)
    at = line + 2 + size + 2
    if (Number.isNaN(size) || at > behind.length) return undefined
    if (size === 0) return at
  }
}

/** Says how what was received breaks what the contract says of every response, if it does. */
export function faultIn(received: string): string | undefined {
  const { responses, rest } = responsesIn(received)
  const fault = responses.map(faultOf).find((each) => each !== undefined)
  if (fault !== undefined) return fault
  const isBeginning = rest.startsWith('HTTP/1.1 ') || 'HTTP/1.1 '.startsWith(rest)
  return isBeginning ? undefined : `bytes that are no response: ${JSON.stringify(rest.slice(0, 100))}`
}

/** No response may be a 5xx, except 503 from a busy machine, and the body of a failure must be the contract's Error. */
function faultOf({ status, headers, body }: Response): string | undefined {
  if (status < 200) return undefined
  if (status >= 500 && status !== 503) return 'a fault of the service'
  const missing = required.find((name) => !headers.has(name))
  if (missing !== undefined) return `the header ${missing} is missing`
  if (status < 400) return undefined
  if (headers.get('content-type') !== 'application/json') return 'a failure that is not application/json'
  // A response to HEAD has none.
  if (body === '') return undefined
  return isError(body, status) ? undefined : 'a failure whose body is not Error'
}

function isError(body: string, status: number): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(body, 'latin1').toString())
    if (typeof value !== 'object' || value === null || Object.keys(value).sort().join() !== 'error,message')
      return false
    const { error, message } = value as Record<string, unknown>
    return Math.floor(Number(error) / 100) === status && typeof message === 'string' && message !== ''
  } catch {
    return false
  }
}
