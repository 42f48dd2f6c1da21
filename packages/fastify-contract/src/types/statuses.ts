/**
 * The status codes of final responses, by the range that an OpenAPI document names them with.
 *
 * @see https://www.iana.org/assignments/http-status-codes
 */
export const statusRanges = {
  '2XX': [200, 201, 202, 203, 204, 205, 206, 207, 208, 226],
  '3XX': [300, 301, 302, 303, 304, 305, 307, 308],
  '4XX': [
    400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424, 425,
    426, 428, 429, 431, 451,
  ],
  '5XX': [500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511],
} as const

type StatusRanges = typeof statusRanges

/** The statuses of a range; of every range unless given. */
export type StatusIn<Range extends keyof StatusRanges = keyof StatusRanges> = StatusRanges[Range][number]

/** Whether a status is one of a range or of `default`. */
export function isRegisteredStatus(status: number): boolean {
  return Object.values(statusRanges).some((statuses) => statuses.some((registered) => registered === status))
}
