import { setTimeout as wait } from 'node:timers/promises'
import { type Question, ask } from '../servers/clients.ts'
import { type Contender, nodeHttp, own } from './contenders.ts'
import { addPlants } from './database-file.ts'
import { type BenchRun, startContender } from './running-contender.ts'

/** The figures of one list of 1,000,000 plants. Its reader stops reading for a second. */
export interface MillionFigures {
  contender: string
  /** Peak resident memory while the list was sent, minus resident memory before, in bytes. */
  memoryAboveIdle: number
  /** From the request to the first byte of the body. */
  firstByteMilliseconds: number
  /** From the request to the end of the list, without the second in which the reader did not read. */
  milliseconds: number
  /** The slowest of the other caller's requests meanwhile, each a list of 20. */
  slowestOtherMilliseconds: number
  otherRequests: number
}

const plants = 1_000_000
const pauseMilliseconds = 1_000
const otherEveryMilliseconds = 10
const warmUpRequests = 500

const list20: Question = { method: 'GET', path: '/plants?limit=20' }

/** Lists 1,000,000 plants of the project and of node:http by hand, while another caller repeats a list of 20. */
export async function measureMillion({ folder }: BenchRun): Promise<MillionFigures[]> {
  return [await measureOne(own, folder), await measureOne(nodeHttp, folder)]
}

async function measureOne(contender: Contender, folder: string): Promise<MillionFigures> {
  const renamed = { ...contender, name: `${contender.name}, million` }
  await using running = await startContender(renamed, folder, ({ file }) => {
    addPlants(file, 'reader', 1, plants)
    addPlants(file, 'bystander', 1, 20)
  })
  const {
    server,
    database: { tokens },
  } = running
  for (let request = 0; request < warmUpRequests; request++) await ask(server.port, tokens.bystander, list20)
  const idle = server.memory().resident
  server.resetPeak()
  const ended = new AbortController()
  const waits: number[] = []
  const others = (async () => {
    while (!ended.signal.aborted) {
      await wait(otherEveryMilliseconds)
      const { status, from, to } = await ask(server.port, tokens.bystander, list20)
      if (status !== 200) throw new Error(`another caller's list was answered ${String(status)}`)
      waits.push(to - from)
    }
  })()
  const list = await readSlowly(server.port, tokens.reader)
  ended.abort()
  await others
  return {
    contender: contender.name,
    memoryAboveIdle: server.memory().peak - idle,
    ...list,
    slowestOtherMilliseconds: Math.max(...waits),
    otherRequests: waits.length,
  }
}

async function readSlowly(
  port: number,
  token: string,
): Promise<Pick<MillionFigures, 'firstByteMilliseconds' | 'milliseconds'>> {
  const start = performance.now()
  const response = await fetch(`http://127.0.0.1:${String(port)}/plants`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (response.body === null || response.status !== 200)
    throw new Error(`a list of all plants was answered ${String(response.status)}`)
  let firstByteMilliseconds = 0
  for await (const _piece of response.body) {
    if (firstByteMilliseconds > 0) continue
    firstByteMilliseconds = performance.now() - start
    await wait(pauseMilliseconds)
  }
  return { firstByteMilliseconds, milliseconds: performance.now() - start - pauseMilliseconds }
}
