import { Agent, type IncomingMessage, get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type Contender, nodeHttp, own } from '../contenders/contenders.ts'
import { addPlants } from '../contenders/database-file.ts'
import { type RunningContender, startContender } from '../contenders/running-contender.ts'
import type { BenchRun } from './bench-run.ts'

/** The figures of one list of 1,000,000 plants. Its reader stops reading for a second. */
export interface MillionFigures {
  contender: string
  bodyBytes: number
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
const timeoutMilliseconds = 60_000

/** Lists 1,000,000 plants of the project and of node:http by hand, while another caller repeats a list of 20. */
export async function measureMillion({ folder, onProgress }: BenchRun): Promise<MillionFigures[]> {
  onProgress('a list of 1,000,000 plants')
  const figures: MillionFigures[] = []
  for (const contender of [own, nodeHttp])
    figures.push(await measureOne({ ...contender, name: `${contender.name}, million` }, contender.name, folder))
  return figures
}

async function measureOne(contender: Contender, name: string, folder: string): Promise<MillionFigures> {
  const running = await startContender(contender, folder, ({ file }) => {
    addPlants(file, 'reader', 1, plants)
    addPlants(file, 'bystander', 1, 20)
  })
  const agent = new Agent({ keepAlive: true })
  try {
    for (let request = 0; request < 500; request++)
      await drain(await ask(running, 'bystander', '/plants?limit=20', agent))
    const idle = running.server.memory().resident
    running.server.resetPeak()
    let isDone = false
    const others = askAgain(running, agent, () => isDone)
    const list = await readSlowly(running)
    isDone = true
    const { slowest, count } = await others
    return {
      contender: name,
      bodyBytes: list.bodyBytes,
      memoryAboveIdle: running.server.memory().peak - idle,
      firstByteMilliseconds: list.firstByteMilliseconds,
      milliseconds: list.milliseconds,
      slowestOtherMilliseconds: slowest,
      otherRequests: count,
    }
  } finally {
    agent.destroy()
    await running.server.stop()
  }
}

async function readSlowly(
  running: RunningContender,
): Promise<{ bodyBytes: number; firstByteMilliseconds: number; milliseconds: number }> {
  const start = performance.now()
  const response = await ask(running, 'reader', '/plants', undefined)
  let bodyBytes = 0
  let firstByteMilliseconds = 0
  for await (const piece of response) {
    if (bodyBytes === 0) {
      firstByteMilliseconds = performance.now() - start
      await wait(pauseMilliseconds)
    }
    // Without an encoding, a response's pieces are buffers.
    bodyBytes += (piece as Buffer).length
  }
  return { bodyBytes, firstByteMilliseconds, milliseconds: performance.now() - start - pauseMilliseconds }
}

async function askAgain(
  running: RunningContender,
  agent: Agent,
  isDone: () => boolean,
): Promise<{ slowest: number; count: number }> {
  let slowest = 0
  let count = 0
  do {
    await wait(otherEveryMilliseconds)
    const start = performance.now()
    await drain(await ask(running, 'bystander', '/plants?limit=20', agent))
    slowest = Math.max(slowest, performance.now() - start)
    count++
  } while (!isDone())
  return { slowest, count }
}

function ask(
  { server, database }: RunningContender,
  caller: 'reader' | 'bystander',
  path: string,
  agent: Agent | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: server.port,
      path,
      headers: { authorization: `Bearer ${database.tokens[caller]}` },
      timeout: timeoutMilliseconds,
    }
    const request = get(agent === undefined ? options : { ...options, agent }, (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`${path} was answered with ${String(response.statusCode)}`))
    })
    request.once('error', reject)
  })
}

async function drain(response: IncomingMessage): Promise<void> {
  for await (const _piece of response);
}
