/** What a client may take of the server, and how the server stops. */
export interface Limits {
  /** The request line and the headers together. */
  headerBytes: number
  /** A request's body. */
  bodyBytes: number
  /** From a connection's first byte to the end of the headers. */
  headersMilliseconds: number
  /** From a request's first byte to its last. */
  requestMilliseconds: number
  /** How often requests that take too long are looked for. */
  checkMilliseconds: number
  /** How long a connection may idle between two requests. */
  keepAliveMilliseconds: number
  /** How long a connection may stand still in the middle of a request or a response, as when a client stops reading. */
  standstillMilliseconds: number
  /** The most connections at once; a further one is closed as soon as it is made. */
  connections: number
  /** The most requests of one connection that wait for the answer before them; a connection with more is closed. */
  pipelinedRequests: number
  /** The most bytes of long answers that clients have not read yet; a further one is refused. */
  unreadBytes: number
  /** The longest that a request may have waited before the server looks at it; one that waited longer is refused. */
  waitMilliseconds: number
  /**
   * How long new connections are accepted after the signal to stop, so that who asks `/readyz` learns of the end before
   * it comes.
   */
  shutdownDelayMilliseconds: number
  /** How long after that signal the server has stopped, the delay included. */
  shutdownGraceMilliseconds: number
}

/** The only place of each default; environment variables and tests change some of them. */
export const defaultLimits: Limits = {
  headerBytes: 16_384,
  bodyBytes: 65_536,
  headersMilliseconds: 10_000,
  requestMilliseconds: 20_000,
  checkMilliseconds: 2_000,
  // Longer than the minute after which common proxies drop idle connections, so that it is they who do.
  keepAliveMilliseconds: 72_000,
  standstillMilliseconds: 30_000,
  connections: 10_000,
  // Each takes some 1.6 KiB. One read brings at most 64 KiB, so a client with a token in each request never has as
  // many.
  pipelinedRequests: 1_000,
  unreadBytes: 64 * 1_024 * 1_024,
  // Longer than a pause of the collector or of a slow disk, which by themselves are no overload.
  waitMilliseconds: 1_000,
  shutdownDelayMilliseconds: 1_000,
  shutdownGraceMilliseconds: 10_000,
}
