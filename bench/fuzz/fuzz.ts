import { UsageError, readArguments, readInteger } from '../../scripts/command.ts'
import { type LoadedServer, startLoadedServer } from '../servers/loaded-server.ts'
import { watchServer } from '../servers/watch.ts'
import { type Finding, type FuzzResult, fuzz, warmUp } from './attack-server.ts'
import { asOperation, readVectors, runVectors } from './vectors.ts'

const usage = `Usage: npm run bench -- fuzz [--requests N] [--seed N] [--first N] [--rate-limit N]
         attacks a server over N connections (100000), with a RATE_LIMIT if one is given
         one connection again: --seed S --first NUMBER --requests 1
       npm run bench -- fuzz --vectors FOLDER
         sends the blocks \`\`\`http of all Markdown below a folder, at once and byte by byte`

/** Memory after the last tenth of the connections, as a multiple of that after the second; above it there is a leak. */
const maxGrowth = 1.15

/** Without a limit V8 lets the heap grow for a long time before it collects garbage, which looks like a leak. */
const heapMebibytes = 64

const bounds = { livezMilliseconds: 1_000, growthMebibytes: 256 }

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const numbers = { requests: text, seed: text, first: text, 'rate-limit': text }
  const { values } = readArguments(usage, { args, options: { ...numbers, vectors: text } })
  if (values.vectors !== undefined) {
    await sendVectors(values.vectors)
    return
  }
  const read = (name: keyof typeof numbers, otherwise: number) =>
    values[name] === undefined ? otherwise : readInteger(usage, `--${name}`, values[name], 0)
  const seed = read('seed', Math.floor(Math.random() * 2 ** 31))
  console.log(`seed ${String(seed)}`)
  await attack(seed, read('first', 0), read('requests', 100_000), read('rate-limit', 0))
}

/**
 * Starts a server, does something to it, and prints what `run` and a look at the server have found. The exit code is 1
 * where there is anything.
 */
async function onServer(
  environment: Record<string, string>,
  attackServer: (server: LoadedServer) => Promise<string[]>,
): Promise<void> {
  const server = await startLoadedServer(20, { LOG_LEVEL: 'error', ...environment }, [
    `--max-old-space-size=${String(heapMebibytes)}`,
  ])
  try {
    await warmUp(server.port, server.token)
    const watch = watchServer(server, bounds)
    const problems = await attackServer(server)
    const { longestMilliseconds, problems: others } = await watch.end()
    problems.push(...others)
    if (server.log() !== '') problems.push(`the log has errors:\n${server.log().slice(0, 5_000)}`)
    for (const problem of problems.slice(0, 20)) console.log(`${problem}\n`)
    const longest = longestMilliseconds.toFixed(0)
    console.log(`${String(problems.length)} findings; the longest GET /livez took ${longest} ms`)
    if (problems.length > 0) process.exitCode = 1
  } finally {
    await server.stop()
  }
}

/** @param rateLimit the server's RATE_LIMIT; 0 for none */
async function attack(seed: number, first: number, requests: number, rateLimit: number): Promise<void> {
  const environment: Record<string, string> = rateLimit === 0 ? {} : { RATE_LIMIT: String(rateLimit) }
  await onServer(environment, async ({ port, token, memory }) => {
    const tenths = Math.min(10, requests)
    const resident: number[] = []
    const statuses: FuzzResult['statuses'] = {}
    const findings: Finding[] = []
    for (let tenth = 0; tenth < tenths && !findings.some(({ isLast }) => isLast); tenth++) {
      const [from, to] = [Math.floor((requests * tenth) / tenths), Math.floor((requests * (tenth + 1)) / tenths)]
      const result = await fuzz({ port, token, seed, first: first + from, count: to - from })
      for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count
      findings.push(...result.findings)
      resident.push(memory().resident / 2 ** 20)
    }
    console.log('answers by status:', statuses)
    console.log(`memory after each tenth, MiB: ${resident.map((mebibytes) => mebibytes.toFixed(1)).join(' ')}`)
    const problems = findings.map(
      ({ first: number, count, problem }) =>
        `--seed ${String(seed)} --first ${String(number)} --requests ${String(count)}\n${problem}`,
    )
    const [, second = NaN] = resident
    if (resident.length === 10 && resident.at(-1)! > second * maxGrowth)
      problems.push('memory grew from the second tenth to the last')
    return problems
  })
}

async function sendVectors(folder: string): Promise<void> {
  const vectors = readVectors(folder)
  if (vectors.length === 0) throw new UsageError(`${folder} has no Markdown with a block \`\`\`http\n${usage}`)
  await onServer({}, async ({ port, token }) => {
    const all = [...vectors, ...vectors.map(asOperation)]
    const { connections, answers, findings } = await runVectors(port, token, all)
    console.log('vectors by their answers:', answers)
    console.log(`${String(vectors.length)} vectors, ${String(connections)} connections`)
    return findings
  })
}
