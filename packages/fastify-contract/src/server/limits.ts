/** The limits of what a client may use, and of the time to stop. */
export interface Limits {
  /** The request line and the headers together. */
  headerBytes: number
  /** A request's body. */
  bodyBytes: number
  /** How many objects and arrays of a body may be in one another, the body included. */
  bodyLevels: number
  /** From a connection's first byte to the end of the headers. */
  headersMilliseconds: number
  /** From a request's first byte to its last. */
  requestMilliseconds: number
  /** The interval at which requests that take too long are looked for. */
  checkMilliseconds: number
  /** How long a connection may idle between two requests. */
  keepAliveMilliseconds: number
  /** Socket idle limit during a request or response. */
  socketIdleMilliseconds: number
  /** The limit of open connections; a further one is closed at once. */
  connections: number
  /** The limit of requests of one connection that wait for an earlier answer; a connection with more is closed. */
  pipelinedRequests: number
  /** The limit of bytes of long answers that clients have not read yet; a further answer is refused. */
  unreadBytes: number
  /**
   * How long new connections are accepted after the signal to stop. Load balancers that ask `/readyz` have so much time
   * to notice.
   */
  shutdownDelayMilliseconds: number
  /** The time from that signal until the server has stopped, including the delay. */
  shutdownGraceMilliseconds: number
}

/** The only place of each default; environment variables and tests change some of them. */
export const defaultLimits: Limits = {
  headerBytes: 16_384,
  bodyBytes: 65_536,
  bodyLevels: 100,
  headersMilliseconds: 10_000,
  requestMilliseconds: 20_000,
  checkMilliseconds: 2_000,
  // Longer than the minute after which common proxies close idle connections, so that the proxy closes first.
  keepAliveMilliseconds: 72_000,
  socketIdleMilliseconds: 30_000,
  connections: 10_000,
  // One read returns at most 64 KiB. Requests with a token are too long for so many to fit.
  pipelinedRequests: 1_000,
  unreadBytes: 64 * 1_024 * 1_024,
  shutdownDelayMilliseconds: 1_000,
  shutdownGraceMilliseconds: 10_000,
}
