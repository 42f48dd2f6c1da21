/**
 * The limits of what a client may use, and of the time to stop. This is the only place of each default; environment
 * variables and tests change some of them.
 */
export const defaultLimits = {
  /** The request line and the headers together. */
  headerBytes: 16_384,
  /** A request's body. */
  bodyBytes: 65_536,
  /** How many objects and arrays of a body may be in one another, the body included. */
  bodyLevels: 100,
  /** From a connection's first byte to the end of the headers. */
  headersMilliseconds: 10_000,
  /** From a request's first byte to its last. */
  requestMilliseconds: 20_000,
  /** The interval at which requests that take too long are looked for. */
  checkMilliseconds: 2_000,
  /**
   * How long a connection may idle between two requests: longer than the minute after which common proxies close idle
   * connections, so that the proxy closes first.
   */
  keepAliveMilliseconds: 72_000,
  /** Socket idle limit during a request or response. */
  socketIdleMilliseconds: 30_000,
  /** The limit of open connections; a further one is closed at once. */
  connections: 10_000,
  /**
   * The limit of requests of one connection that wait for an earlier answer; a connection with more is closed. One read
   * returns at most 64 KiB. Requests with a token are too long for so many to fit.
   */
  pipelinedRequests: 1_000,
  /** The limit of bytes of long answers that clients have not read yet; a further answer is refused. */
  unreadBytes: 64 * 1_024 * 1_024,
  /**
   * How long new connections are accepted after the signal to stop. Load balancers that ask `/readyz` have so much time
   * to notice.
   */
  shutdownDelayMilliseconds: 1_000,
  /** The time from that signal until the server has stopped, including the delay. */
  shutdownGraceMilliseconds: 10_000,
}

export type Limits = typeof defaultLimits
