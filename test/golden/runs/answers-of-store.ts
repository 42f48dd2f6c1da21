import { setTimeout as delay } from 'node:timers/promises'
import { asked, askedToStay, configuration, configured, late, withoutKeys } from '../requests/configured.ts'
import { type GoldenRequest, create, message, raw, remove, together, tokens } from '../requests/request.ts'
import { requests } from '../requests.ts'
import { type Answer, readAnswers } from './answer.ts'
import type { Database, DatabaseServer } from './database.ts'
import { exchange } from './exchange.ts'
import { normalLog, normalText } from './normal-text.ts'
import { startKeyServer } from './key-server.ts'
import { type Service, runCommand, startService } from './service.ts'

/** How many requests are under way at once. Each lane has a caller of its own. */
const lanes = 8

/** What a request names, by the name: `$TOKEN` and the like. */
type Known = ReadonlyMap<string, string>

/** The answers so far, and what the servers themselves have said. */
class Session {
  readonly #answers = new Map<string, string[]>()
  readonly database: Database

  constructor(database: Database) {
    this.database = database
    // In the order of the list, whichever is answered first.
    for (const { name } of [...requests, ...withoutKeys, ...configured, ...late]) this.#answers.set(name, [])
  }

  async ask({ port }: Pick<Service, 'port'>, request: GoldenRequest, known: Known): Promise<void> {
    const received = readAnswers(await exchange(port, request, known))
    this.#answers.set(request.name, received.flatMap(linesOf))
    const left = idsLeft(request, received)
    if (left.length === 0) return
    const removals = left.map((id, index) => remove(id, { isLast: index === left.length - 1 }))
    await exchange(port, together('', ...removals), known)
  }

  async askInTurn(service: Pick<Service, 'port'>, list: readonly GoldenRequest[], known: Known): Promise<void> {
    for (const request of list) await this.ask(service, request, known)
  }

  async noteEnd(name: string, service: Service): Promise<void> {
    const { code, stdout, stderr } = await service.ended
    const { folder } = this.database
    const log = normalLog(stderr, folder)
    this.note(name, [`exit code ${String(code)}`, ...normalText(stdout, folder).split('\n'), ...log])
  }

  note(name: string, lines: string[]): void {
    this.#answers.set(name, lines)
  }

  get recorded(): Record<string, string[]> {
    return Object.fromEntries(this.#answers)
  }
}

/**
 * Sends every request of the golden set to real servers on a new database.
 *
 * @returns the lines of each answer by the name of the request, and what the servers themselves have said
 */
export async function answersOfStore(databases: DatabaseServer): Promise<Record<string, string[]>> {
  const session = new Session(await databases.newDatabase())
  const environment = { DATABASE_URL: session.database.url }
  const services: Service[] = []
  const keys = await startKeyServer()
  const start = async (more: Readonly<Record<string, string>>) => {
    const service = await startService({ ...environment, ...more })
    services.push(service)
    return service
  }
  try {
    const first = await start({ LOG_LEVEL: 'warn', SHUTDOWN_DELAY: '3' })
    const shared = [...keys.tokens, [tokens.etag, await etagOf(first)] as const]
    const known = (await issueTokens(environment)).map((issued) => new Map([...issued, ...shared]))
    await askFirst(session, first, known)
    const second = await start({ ...configuration, ...keys.environment })
    await session.askInTurn(second, withoutKeys, known[0]!)
    keys.open()
    // For a second after it has failed, the service does not ask for the keys again.
    await delay(1_100)
    await askSecond(session, second, known)
    await session.noteEnd('what the first server says', first)
    await session.noteEnd('what the second server says', second)
  } finally {
    for (const service of services) service.kill()
    await Promise.all(services.map(({ ended }) => ended))
    await keys.close()
    await session.database.remove()
  }
  return session.recorded
}

/** Sends what does not depend on the configuration, and what is asked while the server is about to stop. */
async function askFirst(session: Session, service: Service, known: readonly Known[]): Promise<void> {
  await fill(service, known[0]!)
  await Promise.all(
    known.map(async (own, lane) => {
      const ofLane = requests.filter((_, index) => index % lanes === lane)
      await session.askInTurn(service, ofLane, own)
      await session.ask(service, together(`what lane ${String(lane)} has left`, message()), own)
    }),
  )
  service.stop()
  while ((await statusOf(service, '/readyz')) !== '503') await delay(5)
  await session.askInTurn(service, [...asked('stopping'), ...askedToStay('stopping')], known[0]!)
}

/** Sends what depends on the configuration, and what is asked while something happens to the database. */
async function askSecond(session: Session, service: Service, known: readonly Known[]): Promise<void> {
  const metrics = { port: Number(await service.logged(/metrics at http:[^"]*:(\d+)\/metrics/)) }
  await Promise.all([
    session.askInTurn(service, configured, known[0]!),
    ...late.map((request) => session.ask(service, request, known[1]!)),
  ])
  const others = [message({ target: '/' }), message({ method: 'POST', target: '/metrics' })]
  await session.ask(metrics, together('metrics: another path and another method', ...others), known[0]!)
  session.note('metrics: the names and the counts', await readMetrics(metrics.port))
  const { database } = session
  await database.takeAway()
  await session.askInTurn(service, asked('without its database'), known[1]!)
  await database.bringBack()
  while ((await statusOf(service, '/readyz')) !== '200') await delay(20)
  await session.askInTurn(service, asked('with its database again'), known[2]!)
  await database.breakApart()
  await session.askInTurn(service, asked('with a broken database'), known[3]!)
  service.stop()
}

function linesOf({ head, body }: Answer): string[] {
  return head === '' ? [body] : [...head.split('\n'), '', body]
}

/** The ids of the plants that a request may have created and not deleted, as when its connection ended early. */
function idsLeft({ pieces }: GoldenRequest, received: readonly Answer[]): string[] {
  const isDeleted = received.at(-1)?.head.startsWith('HTTP/1.1 204') === true
  const isAbsent = received.some(({ body }) => body === '[]')
  if (isDeleted || isAbsent || !received.some(({ head }) => head.startsWith('HTTP/1.1 200'))) return []
  const sent = Buffer.concat(pieces.filter((piece) => typeof piece !== 'string')).toString('latin1')
  return sent.includes('POST ') ? [...new Set(Array.from(sent.matchAll(/"id":(-?\d+)/g), ([, id = '']) => id))] : []
}

/** Issues what the requests name. @returns for each lane what stands for each token */
async function issueTokens(environment: Readonly<Record<string, string>>): Promise<Known[]> {
  const run = async (...parameters: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand('token', parameters, { environment })
    if (code !== 0) throw new Error(`npm run token -- ${parameters.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  const issue = (caller: string, ...options: string[]) => run('issue', caller, ...options)
  const [expired, revoked] = await Promise.all([issue('expired', '--ttl', '1s'), issue('revoked')])
  const expiry = delay(1_100)
  const [few, many] = await Promise.all([issue('few'), issue('many')])
  const [scoped] = await Promise.all([issue('scoped', '--scope', 'plants:read'), run('revoke', revoked)])
  const own: string[] = []
  while (own.length < lanes)
    own.push(...(await Promise.all([issue(`lane ${String(own.length)}`), issue(`lane ${String(own.length + 1)}`)])))
  await expiry
  const shared = [
    [tokens.few, few],
    [tokens.many, many],
    [tokens.scoped, scoped],
    [tokens.expired, expired],
    [tokens.revoked, revoked],
  ] as const
  return own.map((token) => new Map([[tokens.own, token], ...shared]))
}

/** Creates the plants of the callers `few` and `many`. */
async function fill(service: Service, known: Known): Promise<void> {
  const few = ['-5', '0', '9007199254740993'].map((id) => `{"id":${id},"name":"plant ${id}","tag":"few"}`)
  const many = Array.from({ length: 700 }, (_, index) => `{"id":${String(index)},"name":"${'\u{1f331}'.repeat(200)}"}`)
  const createAll = async (plants: readonly string[], token: string): Promise<void> => {
    const creations = plants.map((plant, index) =>
      create(plant, { authorization: `Bearer ${token}`, isLast: index === plants.length - 1 }),
    )
    const answers = readAnswers(await exchange(service.port, together('', ...creations), known))
    const bad = answers.find(({ head }) => !head.startsWith('HTTP/1.1 200 '))
    if (bad !== undefined || answers.length < plants.length)
      throw new Error(`the plants were not created: ${JSON.stringify(bad)}`)
  }
  // Those of one connection are created one after the other, each with its own sync of the disk.
  const connections = Array.from({ length: 20 }, (_, part) => many.filter((_plant, index) => index % 20 === part))
  await Promise.all([createAll(few, tokens.few), ...connections.map((plants) => createAll(plants, tokens.many))])
}

async function etagOf({ port }: Service): Promise<string> {
  const request = together('', message({ target: '/docs/static/logo.svg', authorization: null }))
  return /^etag: (.*)$/im.exec((await exchange(port, request, new Map())).toString('latin1'))?.[1] ?? 'none'
}

async function statusOf(service: Service, target: string): Promise<string | undefined> {
  const request = message({ target, authorization: null })
  const [answer] = readAnswers(await exchange(service.port, together('', request), new Map()))
  return answer?.head.split(' ')[1]
}

/** The types of all metrics, and the series of the service; the values of those alone that count requests. */
async function readMetrics(port: number): Promise<string[]> {
  const bytes = await exchange(
    port,
    { name: '', pieces: [raw('GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')] },
    new Map(),
  )
  const lines = bytes.toString().split('\r\n\r\n').slice(1).join().split(/\r?\n/)
  return lines
    .filter((line) => line.startsWith('# TYPE') || /^(?:# HELP )?plant_store/.test(line))
    .map((line) => (/^(?:#|plant_store_requests_total)/.test(line) ? line : line.replace(/ \S+$/, ' *')))
    .sort()
}
