import { type RawResponse, responsesIn } from '../../test/support/client/raw-http.ts'

/** What every final response has. */
const required = ['x-request-id', 'cache-control', 'x-content-type-options', 'date']

/** Says how what was received breaks what the contract says of every response, if it does. */
export function faultIn(received: string): string | undefined {
  const { responses, rest } = responsesIn(received)
  const fault = responses.map(faultOf).find((each) => each !== undefined)
  if (fault !== undefined) return `${fault}: ${received.slice(0, 500)}`
  const places = responses.flatMap(({ headers }) => headers['x-request-id']?.match(/^pipeline-(\d+)$/)?.[1] ?? [])
  if (places.some((place, index) => index > 0 && Number(places[index - 1]) >= Number(place)))
    return `responses out of order: ${places.join()}`
  const isBeginning = rest.startsWith('HTTP/1.1 ') || 'HTTP/1.1 '.startsWith(rest)
  return isBeginning ? undefined : `bytes that are no response: ${JSON.stringify(rest.slice(0, 100))}`
}

/** No response may be a 5xx, except 503 from a busy machine, and the body of a failure must be the contract's Error. */
function faultOf({ status, headers, text }: RawResponse): string | undefined {
  if (status < 200) return undefined
  if (status >= 500 && status !== 503) return 'a fault of the service'
  const missing = required.find((name) => !(name in headers))
  if (missing !== undefined) return `the header ${missing} is missing`
  if (status < 400) return undefined
  if (headers['content-type'] !== 'application/json') return 'a failure that is not application/json'
  // A response to HEAD has none.
  if (text === '') return undefined
  return isError(text, status) ? undefined : 'a failure whose body is not Error'
}

function isError(text: string, status: number): boolean {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Object.keys(value).sort().join() !== 'error,message')
      return false
    const { error, message } = value as Record<string, unknown>
    return Math.floor(Number(error) / 100) === status && typeof message === 'string' && message !== ''
  } catch {
    return false
  }
}
