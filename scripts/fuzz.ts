import { parseArgs } from 'node:util'
import { createProgress } from './bench/progress.ts'
import { type FuzzResult, fuzz } from './fuzz/fuzz.ts'
import { startLoadedServer } from './load/loaded-server.ts'

const usage = `Usage: npm run fuzz -- [--requests N] [--seed N] [--first N]   sends N changed requests, 100000 unless told
       the same seed and number send the same bytes: --seed S --first NUMBER --requests 1 repeats one`

/** More than this between the second and the last tenth is a leak. */
const allowedGrowth = 1.15

/** Without a bound V8 lets the heap grow for a long time before it collects what is in it, which looks like a leak. */
const heapMebibytes = 64

const { values } = parseArgs({ options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string' }, first: { type: 'string', default: '0' } } })
const [requests, first, seed] = [values.requests, values.first, values.seed ?? String(Math.floor(Math.random() * 2 ** 31))].map(Number)
if (requests === undefined || first === undefined || seed === undefined || ![requests, first, seed].every(Number.isSafeInteger)) {
  console.error(usage)
  process.exitCode = 2
} else {
  process.exitCode = (await run(requests, first, seed)) ? 0 : 1
}

async function run(requests: number, first: number, seed: number): Promise<boolean> {
  console.log(`seed ${String(seed)}`)
  const server = await startLoadedServer(20, { LOG_LEVEL: 'silent' }, [`--max-old-space-size=${String(heapMebibytes)}`])
  const progress = createProgress()
  const tenths = Math.min(10, requests)
  const memory: number[] = []
  const statuses: FuzzResult['statuses'] = {}
  const findings: FuzzResult['findings'] = []
  try {
    for (let tenth = 0; tenth < tenths; tenth++) {
      const [from, to] = [Math.floor((requests * tenth) / tenths), Math.floor((requests * (tenth + 1)) / tenths)]
      const result = await fuzz({ port: server.port, token: server.token, seed, first: first + from, count: to - from })
      for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count
      findings.push(...result.findings)
      memory.push(server.memory().resident / 2 ** 20)
      progress.tell(`${String(to)} of ${String(requests)} requests, ${String(findings.length)} findings, ${memory.at(-1)?.toFixed(1) ?? ''} MiB`)
    }
    const alive = (await fetch(`http://127.0.0.1:${String(server.port)}/livez`)).status === 200
    progress.end()
    console.log('answers by status:', statuses)
    for (const { number, problem } of findings.slice(0, 20)) console.log(`--seed ${String(seed)} --first ${String(number)} --requests 1\n${problem}\n`)
    const isFlat = memory.length < 10 || memory[9]! <= memory[1]! * allowedGrowth
    console.log(`${String(findings.length)} findings; the server ${alive ? 'is alive' : 'does not answer'}; memory after each tenth, MiB: ${memory.map((size) => size.toFixed(1)).join(' ')}`)
    return alive && isFlat && findings.length === 0
  } finally {
    await server.stop()
  }
}
