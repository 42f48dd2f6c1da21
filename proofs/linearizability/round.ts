import { setTimeout as sleep } from 'node:timers/promises'
import { prefixOf } from '../../src/auth/tokens.ts'
import type { DatabaseLocation } from '../../src/store/location.ts'
import { openStore } from '../../src/store/open-store.ts'
import { issueTokens } from '../../test/support/server/issue-tokens.ts'
import type { ServerProcess } from '../../test/support/server/start-process.ts'
import { type Exchange, ask } from '../../test/support/client/ask.ts'
import { createRandom } from '../../test/support/random.ts'
import type { Operation } from './check-history.ts'
import { type Work, drawWork, operationOf, questionOf, successes } from './requests.ts'

const clients = 12
/** The turns of each client, and its concurrent requests, without those that verify writes. */
const turns = 30
const maxAtOnce = 3
const maxThinkMilliseconds = 3
/** All but one are revoked. */
const tokensOfCaller = 10
/** How many clients list with a token while it is revoked. */
const usersOfToken = 4

/** The name that stands for a valid token in its history. */
export const validToken = 'valid'

/** A server that can be killed and restarted. */
export class TestedServer {
  readonly #start: () => Promise<ServerProcess>
  #process: Promise<ServerProcess>

  constructor(start: () => Promise<ServerProcess>) {
    this.#start = start
    this.#process = start()
  }

  /** Its port, once it listens. */
  async port(): Promise<number> {
    return (await this.#process).port
  }

  /** Kills it with SIGKILL at once. @returns once it listens again */
  async restart(): Promise<void> {
    const { end } = await this.#process
    this.#process = end('SIGKILL').then(this.#start)
    await this.#process
  }
}

/**
 * A round: clients that create, delete and list a few plants of one new caller, while its tokens are revoked.
 */
export class Round {
  /** The history of the plants of the round's caller. */
  readonly plants: Operation[] = []
  readonly exchanges: Exchange[] = []
  readonly #location: DatabaseLocation
  readonly #servers: readonly TestedServer[]
  readonly #killed: readonly TestedServer[]
  readonly #random = createRandom(Math.floor(Math.random() * 2 ** 31))
  /** The history of each token. The first one is not revoked. */
  readonly #tokens = new Map<string, Operation[]>()

  /**
   * @param servers receive the requests
   * @param killed are killed at once during the round
   */
  constructor(location: DatabaseLocation, servers: readonly TestedServer[], killed: readonly TestedServer[]) {
    this.#location = location
    this.#servers = servers
    this.#killed = killed
  }

  /** The history of each revoked token: the revocation is a delete of the id 0, and each request a list of it. */
  get tokens(): Operation[][] {
    return [...this.#tokens.values()].slice(1)
  }

  /** @throws Error when a response is not allowed, or a server that was not killed does not respond */
  async run(caller: string): Promise<void> {
    const issued = await issueTokens(this.#location, Array<string>(tokensOfCaller).fill(caller))
    for (const { token } of issued) this.#tokens.set(token, [])
    const events = issued.slice(1).map(
      ({ token }) =>
        () =>
          this.#revoke(token),
    )
    events.push(() => this.#kill())
    await Promise.all(Array.from({ length: clients }, (_, index) => this.#runClient(events[index])))
    // What was acknowledged must still hold.
    await Promise.all(issued.map(({ token }) => this.#listOnEach(token)))
  }

  /** @param event happens in one of the client's turns */
  async #runClient(event?: () => Promise<void>): Promise<void> {
    const { below } = this.#random
    const eventful = below(turns)
    for (let turn = 0; turn < turns; turn++) {
      if (turn === eventful) await event?.()
      await Promise.all(Array.from({ length: 1 + below(maxAtOnce) }, () => this.#askAndLook()))
      if (below(3) === 0) await sleep(below(maxThinkMilliseconds + 1))
    }
  }

  /** Sends a request. After an acknowledged write, a list on each server must show it. */
  async #askAndLook(): Promise<void> {
    const work = drawWork(this.#random)
    const status = await this.#ask(this.#random.one(this.#servers), work, this.#anyToken())
    if (work.kind !== 'list' && status === successes[work.kind]) await this.#listOnEach(this.#anyToken())
  }

  /** Most often the unrevoked token, so that most requests reach the plants. */
  #anyToken(): string {
    const { below, one } = this.#random
    const tokens = [...this.#tokens.keys()]
    return below(4) === 0 ? one(tokens) : tokens[0]!
  }

  async #listOnEach(token: string): Promise<void> {
    await Promise.all(this.#servers.map((server) => this.#ask(server, { kind: 'list' }, token)))
  }

  async #kill(): Promise<void> {
    await Promise.all(this.#killed.map((server) => server.restart()))
  }

  /** Revokes a token while clients use it, and then uses it on each server. */
  async #revoke(token: string): Promise<void> {
    let isOver = false
    const useUntilRevoked = async (): Promise<void> => {
      while (!isOver) await this.#listOnEach(token)
    }
    const uses = Array.from({ length: usersOfToken }, useUntilRevoked)
    const from = performance.now()
    // As `npm run token` does. A killed server may be the last that has the database open.
    const store = await openStore(this.#location, { onFault: () => undefined })
    const revoked = await store.revokeTokens({ prefix: prefixOf(token) })
    const isRevoked = revoked === 'unavailable' ? undefined : revoked.length === 1
    const to = isRevoked === undefined ? Infinity : performance.now()
    isOver = true
    this.#tokens.get(token)!.push({ kind: 'delete', id: 0, from, to, changed: isRevoked })
    await Promise.all([...uses, this.#listOnEach(token), store.close()])
  }

  /** @returns the status */
  async #ask(server: TestedServer, work: Work, token: string): Promise<number> {
    const exchange = await ask(await server.port(), token, questionOf(work))
    const { from, to, status } = exchange
    this.exchanges.push({ from, to, status })
    if (status === 0 && this.#killed.length === 0) throw new Error('a server that was not killed did not respond')
    if (status !== 0 && status !== 503)
      this.#tokens.get(token)!.push({ kind: 'list', from, to, names: [status === 401 ? '' : validToken] })
    const operation = operationOf(work, exchange)
    if (operation !== undefined) this.plants.push(operation)
    return status
  }
}
