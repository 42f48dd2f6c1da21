/**
 * The default limits on the resources of clients and on the time to stop.
 */
export const defaultLimits = {
  /** Of the request line and the headers together. */
  headerBytes: 16_384,
  /** The maximum number of header fields. The shortest take forty times their bytes in memory. */
  headerFields: 200,
  /** Of a request body, except a binary one that has a `maxLength` in the contract. */
  bodyBytes: 65_536,
  /** The maximum nesting depth of objects and arrays in a body, the body included. */
  bodyLevels: 100,
  /** From a connection's first byte to the end of the headers. */
  headersMilliseconds: 10_000,
  /** From a request's first byte to its last. */
  requestMilliseconds: 20_000,
  /** The interval of the checks for slow requests. */
  checkMilliseconds: 2_000,
  /**
   * The idle limit of a connection between two requests. Longer than the minute of common proxies, so that the proxy
   * closes first.
   */
  keepAliveMilliseconds: 72_000,
  /** Socket idle limit during a request or response. */
  socketIdleMilliseconds: 30_000,
  /** The maximum number of open connections; further ones are closed at once. */
  connections: 10_000,
  /**
   * The limit on bytes that wait behind unanswered requests, of all connections together. Beyond it, a pipelining
   * connection is closed after its next response. A connection holds at most 64 KiB.
   */
  pipelinedBytes: 32 * 1_024 * 1_024,
  /**
   * The limit on bytes of complete bodies that wait to be parsed; beyond it, further bodies are refused. One may always
   * wait, and so may binary ones, which are not parsed.
   */
  waitingBodyBytes: 8 * 1_024 * 1_024,
  /** The limit on unread bytes of long responses; beyond it, further responses are refused. */
  unreadBytes: 64 * 1_024 * 1_024,
  /**
   * The time to accept new connections after the signal to stop, so that load balancers notice through their readiness
   * checks.
   */
  shutdownDelayMilliseconds: 1_000,
  /** The time from that signal to the end, including the delay. */
  shutdownGraceMilliseconds: 10_000,
}

export type Limits = typeof defaultLimits
