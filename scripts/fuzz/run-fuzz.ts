import { createProgress } from '../bench/progress.ts'
import { startLoadedServer } from '../load/loaded-server.ts'
import { type Finding, type FuzzResult, fuzz, warmUp } from './fuzz.ts'
import type { Options } from './options.ts'
import { watchServer } from './watch.ts'

/** More than this between the second and the last tenth is a leak. */
const allowedGrowth = 1.15

/** Without a bound V8 lets the heap grow for a long time before it collects what is in it, which looks like a leak. */
const heapMebibytes = 64

const bounds = { livezMilliseconds: 1_000, growthMebibytes: 256 }

/**
 * Attacks a server of its own, and prints what was found.
 *
 * @returns whether nothing was
 */
export async function runFuzz({ requests, seed, first, rateLimit }: Options): Promise<boolean> {
  const environment: Record<string, string> = rateLimit === undefined ? {} : { RATE_LIMIT: String(rateLimit) }
  const server = await startLoadedServer(20, { LOG_LEVEL: 'error', ...environment }, [
    `--max-old-space-size=${String(heapMebibytes)}`,
  ])
  const progress = createProgress()
  const tenths = Math.min(10, requests)
  const memory: number[] = []
  const statuses: FuzzResult['statuses'] = {}
  const findings: Finding[] = []
  try {
    await warmUp(server.port, server.token)
    const watch = watchServer(server, bounds)
    for (let tenth = 0; tenth < tenths && !findings.some(({ isLast }) => isLast); tenth++) {
      const [from, to] = [Math.floor((requests * tenth) / tenths), Math.floor((requests * (tenth + 1)) / tenths)]
      const result = await fuzz({ port: server.port, token: server.token, seed, first: first + from, count: to - from })
      for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count
      findings.push(...result.findings)
      memory.push(server.memory().resident / 2 ** 20)
      progress.tell(
        `${String(to)} of ${String(requests)} connections, ${String(findings.length)} findings, ${memory.at(-1)?.toFixed(1) ?? ''} MiB`,
      )
    }
    progress.end()
    console.log('answers by status:', statuses)
    for (const finding of findings.slice(0, 20))
      console.log(
        `--seed ${String(seed)} --first ${String(finding.first)} --requests ${String(finding.count)}\n${finding.problem}\n`,
      )
    const { longestMilliseconds, problems } = await watch.end()
    if (memory.length === 10 && memory[9]! > memory[1]! * allowedGrowth)
      problems.push('memory grew from the second tenth to the last')
    if (server.log() !== '') problems.push(`the log has errors:\n${server.log().slice(0, 5_000)}`)
    for (const problem of problems) console.log(problem)
    console.log(
      `${String(findings.length)} findings; the longest GET /livez took ${longestMilliseconds.toFixed(0)} ms; memory after each tenth, MiB: ${memory.map((size) => size.toFixed(1)).join(' ')}`,
    )
    return problems.length === 0 && findings.length === 0
  } finally {
    await server.stop()
  }
}
