/**
 * What was asked and what was answered, between two instants of one monotonic clock. `answer` is Infinity if there was
 * none: the operation may then take effect at any time after its call, or never.
 */
export type Operation = { call: number; answer: number } & (
  | { kind: 'create'; id: number; name: string; changed: boolean | undefined }
  | { kind: 'delete'; id: number; changed: boolean | undefined }
  | { kind: 'list'; names: State }
)

/** The name of the plant with each id, which is the index; '' where there is none. */
export type State = readonly string[]
