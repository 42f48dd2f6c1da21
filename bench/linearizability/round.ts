import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { prefixOf } from '../../src/auth/tokens.ts'
import { type DatabaseLocation, openStore } from '../../src/store/open-store.ts'
import { issueTokens } from '../../test/support/server/issue-tokens.ts'
import type { ServerProcess } from '../../test/support/server/start-process.ts'
import type { Operation } from './check-history.ts'
import { type Exchange, Link, StaleLink } from './link.ts'
import { type Work, operationOf, randomWork, requestOf, successes } from './requests.ts'

const clients = 24
/** How many requests each client sends, beside those that look for what was acknowledged. */
const requestsOfClient = 36
const maxPipelined = 3
/** One of them is not revoked. */
const tokensOfCaller = 10
/** How many clients do nothing but list with a token while it is revoked. */
const usersOfToken = 4
const maxThinkMilliseconds = 3
/** Of a round: many times what it takes on a busy machine. */
const maxMilliseconds = 120_000

/** The name under which a token's history has it while it is valid. */
export const validToken = 'valid'

/** A server that can be killed, and is then started again. */
export class TestedServer {
  readonly #start: () => Promise<ServerProcess>
  #process: Promise<ServerProcess>

  constructor(start: () => Promise<ServerProcess>) {
    this.#start = start
    this.#process = start()
  }

  /** Where it listens, once it does. */
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

/** What happened in a round. */
export interface RoundHistory {
  /** The history of the plants of the round's caller. */
  plants: Operation[]
  /** Of each token that was revoked. The revocation is a delete of the id 0, and each request a list of this id. */
  tokens: Operation[][]
  /** How many requests had each status, or `none`. */
  statuses: Record<string, number>
}

/**
 * Runs a round: clients that create, delete and list the few plants of a caller of their own, and tokens that are
 * revoked meanwhile.
 *
 * @param servers those to which requests are sent
 * @param killed those that are killed at some time of the round, all at once
 * @param hasStaleLists a control: see `StaleLink`
 * @throws Error when an answer is none that may be, or a server that was not killed does not answer
 */
export async function runRound(
  location: DatabaseLocation,
  servers: readonly TestedServer[],
  killed: readonly TestedServer[],
  hasStaleLists = false,
): Promise<RoundHistory> {
  const caller = `round ${randomBytes(6).toString('hex')}`
  const issued = await issueTokens(location, Array<string>(tokensOfCaller).fill(caller))
  const tokens = issued.map(({ token }) => token)
  const round = new Round(location, tokens, servers, killed, hasStaleLists)
  const end = new AbortController()
  const isLate = sleep(maxMilliseconds, true, { signal: end.signal }).catch(() => false)
  try {
    if (await Promise.race([round.run().then(() => false), isLate]))
      throw new Error(`a round was not over after ${String(maxMilliseconds)} ms`)
    return round.history()
  } finally {
    end.abort()
    await round.close()
  }
}

type AnyLink = Pick<Link, 'send' | 'close'>

class Round {
  readonly #location: DatabaseLocation
  readonly #killed: readonly TestedServer[]
  readonly #plants: Operation[] = []
  readonly #statuses: Record<string, number> = {}
  /** The history of each token, of which the first one is not revoked. */
  readonly #tokens: ReadonlyMap<string, Operation[]>
  /** Two connections of each client, to different servers if there are several. */
  readonly #links: (readonly [AnyLink, AnyLink])[]
  #requests = 0
  readonly #milestones: { requests: number; reach: () => void }[] = []

  constructor(
    location: DatabaseLocation,
    tokens: string[],
    servers: readonly TestedServer[],
    killed: readonly TestedServer[],
    hasStaleLists: boolean,
  ) {
    this.#location = location
    this.#tokens = new Map(tokens.map((token) => [token, []]))
    this.#killed = killed
    // There is at least one server.
    const [one, other] = [servers[0]!, servers.at(-1)!].map((server) => {
      const kept = new Map<string, Promise<Exchange>>()
      return (): AnyLink => {
        const link = new Link(() => server.port())
        return hasStaleLists ? new StaleLink(link, kept) : link
      }
    })
    this.#links = Array.from({ length: clients }, () => [one!(), other!()] as const)
  }

  async run(): Promise<void> {
    const [lasting, ...revoked] = [...this.#tokens.keys()]
    const revocations = revoked.map((token, index) =>
      this.#at((index + 1) / (revoked.length + 1), () => this.#revoke(token)),
    )
    const kill = this.#at(0.2 + 0.5 * Math.random(), () => Promise.all(this.#killed.map((server) => server.restart())))
    await Promise.all([...revocations, kill, ...this.#links.map((links) => this.#runClient(links))])
    // Whatever was acknowledged is still so.
    const [links = []] = this.#links
    await Promise.all([
      ...revoked.map((token) => this.#listOn(links, token)),
      this.#listOn(this.#links.flat(), lasting ?? ''),
    ])
  }

  history(): RoundHistory {
    return { plants: this.#plants, tokens: [...this.#tokens.values()].slice(1), statuses: this.#statuses }
  }

  async close(): Promise<void> {
    await Promise.all(this.#links.flat().map((link) => link.close()))
  }

  /** Does something once a share of the clients' requests has an outcome. */
  async #at(share: number, action: () => Promise<unknown>): Promise<void> {
    const requests = Math.floor(share * clients * requestsOfClient)
    await new Promise<void>((reach) => this.#milestones.push({ requests, reach }))
    await action()
  }

  async #runClient(links: readonly [AnyLink, AnyLink]): Promise<void> {
    for (let sent = 0; sent < requestsOfClient;) {
      const link = links[randomInt(2)]!
      const pipelined = Array.from({ length: 1 + randomInt(maxPipelined) }, randomWork)
      sent += pipelined.length
      await Promise.all(pipelined.map((work) => this.#askAndLook(link, work)))
      if (randomInt(3) === 0) await sleep(maxThinkMilliseconds * Math.random())
    }
  }

  /** As soon as a write is acknowledged, another client looks for it at each server. */
  async #askAndLook(link: AnyLink, work: Work): Promise<void> {
    const status = await this.#ask(link, work, this.#anyToken())
    if (work.kind !== 'list' && status === successes[work.kind])
      await this.#listOn(this.#links[randomInt(clients)] ?? [], this.#anyToken())
  }

  /** Most often the one that is not revoked, so that most requests reach the plants. */
  #anyToken(): string {
    return [...this.#tokens.keys()][Math.max(0, randomInt(4 * tokensOfCaller) - 3 * tokensOfCaller)] ?? ''
  }

  /** Sends a list on several connections at once. */
  async #listOn(links: readonly AnyLink[], token: string): Promise<void> {
    await Promise.all(links.map((link) => this.#ask(link, { kind: 'list' }, token)))
  }

  /** Revokes a token that is used all the time, and uses it on every connection as soon as it is revoked. */
  async #revoke(token: string): Promise<void> {
    let isOver = false
    const useUntilRevoked = async (): Promise<void> => {
      while (!isOver) await this.#listOn(this.#links[randomInt(clients)] ?? [], token)
    }
    const uses = Array.from({ length: usersOfToken }, useUntilRevoked)
    const call = performance.now()
    // Opened for this alone, as `npm run token` does: a server that is killed may be the last that has the database open.
    const store = await openStore(this.#location, { onFault: () => undefined })
    const revoked = await store.revokeTokens(prefixOf(token))
    const isRevoked = revoked === 'unavailable' ? undefined : revoked.length === 1
    const answer = isRevoked === undefined ? Infinity : performance.now()
    isOver = true
    this.#tokens.get(token)?.push({ kind: 'delete', id: 0, call, answer, changed: isRevoked })
    await Promise.all([...uses, this.#listOn(this.#links.flat(), token), store.close()])
  }

  /** @returns the status */
  async #ask(link: AnyLink, work: Work, token: string): Promise<number | undefined> {
    const exchange = await link.send(requestOf(work, token))
    const { call, answer, status } = exchange
    const name = String(status ?? 'none')
    this.#statuses[name] = (this.#statuses[name] ?? 0) + 1
    this.#requests++
    for (const { requests, reach } of this.#milestones) if (this.#requests === requests) reach()
    if (status === undefined && this.#killed.length === 0)
      throw new Error('a server that was not killed did not answer')
    if (status !== undefined && status !== 503) {
      this.#tokens.get(token)?.push({ kind: 'list', call, answer, names: [status === 401 ? '' : validToken] })
    }
    const operation = operationOf(work, exchange)
    if (operation !== undefined) this.#plants.push(operation)
    return status
  }
}
