import { readArguments, readInteger } from '../../scripts/command.ts'
import { startLoadedServer } from '../servers/loaded-server.ts'
import { watchServer } from '../servers/watch.ts'
import { fuzz, warmUp } from './attack-server.ts'

const usage = `Usage: npm run bench -- fuzz [--requests N] [--seed N] [--first N] [--rate-limit N]
         attacks a server over N connections (100000), with a RATE_LIMIT if one is given; the exit code is 1 when
         something is wrong with an answer, the server or its memory
         one connection again: --seed S --first NUMBER --requests 1`

/** Memory after the last tenth of the connections, as a multiple of that after the second; above it there is a leak. */
const maxGrowth = 1.15

/** Without a limit V8 lets the heap grow for a long time before it collects garbage, which looks like a leak. */
const heapMebibytes = 64

const bounds = { livezMilliseconds: 1_000, growthMebibytes: 256 }

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const options = { requests: text, seed: text, first: text, 'rate-limit': text }
  const { values } = readArguments(usage, { args, options })
  const read = (name: keyof typeof options, otherwise: number) =>
    readInteger(usage, `--${name}`, values[name] ?? String(otherwise), 0)
  const seed = read('seed', Math.floor(Math.random() * 2 ** 31))
  const [first, requests, rateLimit] = [read('first', 0), read('requests', 100_000), values['rate-limit']]
  console.log(`seed ${String(seed)}`)
  const environment = { LOG_LEVEL: 'error', ...(rateLimit !== undefined && { RATE_LIMIT: rateLimit }) }
  await using server = await startLoadedServer(20, environment, [`--max-old-space-size=${String(heapMebibytes)}`])
  const { port, token } = server
  await warmUp(port, token)
  const watch = watchServer(server, bounds)
  const problems: string[] = []
  const statuses: Record<string, number> = {}
  const resident: number[] = []
  let isLost = false
  for (let tenth = 0; tenth < 10 && !isLost; tenth++) {
    const [from, to] = [Math.floor((requests * tenth) / 10), Math.floor((requests * (tenth + 1)) / 10)]
    const result = await fuzz({ port, token, seed, first: first + from, count: to - from })
    for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count
    for (const { first: number, count, problem, isLast } of result.findings) {
      problems.push(`--seed ${String(seed)} --first ${String(number)} --requests ${String(count)}\n${problem}`)
      isLost ||= isLast
    }
    resident.push(server.memory().resident / 2 ** 20)
  }
  const { longestMilliseconds, problems: others } = await watch.end()
  problems.push(...others)
  if (resident.length === 10 && resident[9]! > resident[1]! * maxGrowth)
    problems.push('memory grew from the second tenth to the last')
  if (server.log() !== '') problems.push(`the log has errors:\n${server.log().slice(0, 5_000)}`)
  console.log('answers by status:', statuses)
  console.log(`memory after each tenth, MiB: ${resident.map((mebibytes) => mebibytes.toFixed(1)).join(' ')}`)
  for (const problem of problems.slice(0, 20)) console.log(`${problem}\n`)
  const longest = longestMilliseconds.toFixed(0)
  console.log(`${String(problems.length)} findings; the longest GET /livez took ${longest} ms`)
  if (problems.length > 0) process.exitCode = 1
}
