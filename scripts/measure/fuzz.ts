import { UsageError, readArguments, readInteger, runCommand } from '../command.ts'
import { type Finding, type FuzzResult, fuzz, warmUp } from './fuzz/fuzz.ts'
import { compareReaders } from './fuzz/readers.ts'
import { asOperation, readVectors, runVectors } from './fuzz/vectors/run-vectors.ts'
import { watchServer } from './fuzz/watch.ts'
import { createProgress } from './report/progress.ts'
import { startLoadedServer } from './servers/loaded-server.ts'

const usage = `Usage: npm run fuzz -- [--requests N] [--seed N] [--first N] [--rate-limit N]
         attacks a server over N connections (100000), with a RATE_LIMIT if one is given
         one connection again: --seed S --first NUMBER --requests 1
       npm run fuzz -- --readers SECONDS [--seed N]
         compares the readers of JSON and of integers with others
       npm run fuzz -- --vectors FOLDER
         sends the blocks \`\`\`http of all Markdown below a folder, at once and byte by byte`

/** Memory after the last tenth of the connections, as a multiple of that after the second; above it there is a leak. */
const maxGrowth = 1.15

/** Without a limit V8 lets the heap grow for a long time before it collects garbage, which looks like a leak. */
const heapMebibytes = 64

const bounds = { livezMilliseconds: 1_000, growthMebibytes: 256 }

interface Options {
  requests: number
  seed: number
  first: number
  /** The server's RATE_LIMIT; undefined when there is none. */
  rateLimit: number | undefined
}

async function run(): Promise<void> {
  const text = { type: 'string' } as const
  const numbers = { requests: text, seed: text, first: text, 'rate-limit': text, readers: text }
  const { values } = readArguments(usage, { options: { ...numbers, vectors: text } })
  if (values.vectors !== undefined) {
    process.exitCode = (await sendVectors(values.vectors)) ? 0 : 1
    return
  }
  const read = (name: keyof typeof numbers): number | undefined => {
    const value = values[name]
    return value === undefined ? undefined : readInteger(usage, `--${name}`, value, 0)
  }
  const seed = read('seed') ?? Math.floor(Math.random() * 2 ** 31)
  const seconds = read('readers')
  const [requests, first, rateLimit] = [read('requests') ?? 100_000, read('first') ?? 0, read('rate-limit')]
  console.log(`seed ${String(seed)}`)
  const ok = seconds === undefined ? await fuzzServer({ requests, seed, first, rateLimit }) : fuzzReaders(seconds, seed)
  process.exitCode = ok ? 0 : 1
}

/** Attacks a server of its own, and prints the findings. @returns whether there are none */
async function fuzzServer({ requests, seed, first, rateLimit }: Options): Promise<boolean> {
  const environment: Record<string, string> = rateLimit === undefined ? {} : { RATE_LIMIT: String(rateLimit) }
  const server = await startLoadedServer(20, { LOG_LEVEL: 'error', ...environment }, [
    `--max-old-space-size=${String(heapMebibytes)}`,
  ])
  const progress = createProgress()
  const tenths = Math.min(10, requests)
  const memory: string[] = []
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
      memory.push((server.memory().resident / 2 ** 20).toFixed(1))
      const found = `${String(findings.length)} findings, ${memory.at(-1) ?? ''} MiB`
      progress.show(`${String(to)} of ${String(requests)} connections, ${found}`)
    }
    progress.end()
    console.log('answers by status:', statuses)
    for (const finding of findings.slice(0, 20)) {
      const range = `--first ${String(finding.first)} --requests ${String(finding.count)}`
      console.log(`--seed ${String(seed)} ${range}\n${finding.problem}\n`)
    }
    const { longestMilliseconds, problems } = await watch.end()
    if (memory.length === 10 && Number(memory[9]) > Number(memory[1]) * maxGrowth)
      problems.push('memory grew from the second tenth to the last')
    if (server.log() !== '') problems.push(`the log has errors:\n${server.log().slice(0, 5_000)}`)
    for (const problem of problems) console.log(problem)
    console.log(`${String(findings.length)} findings; the longest GET /livez took ${longestMilliseconds.toFixed(0)} ms`)
    console.log(`memory after each tenth, MiB: ${memory.join(' ')}`)
    return problems.length === 0 && findings.length === 0
  } finally {
    await server.stop()
  }
}

/** Sends the vectors of a folder to a server of its own, and prints the findings. @returns whether there are none */
async function sendVectors(folder: string): Promise<boolean> {
  const vectors = readVectors(folder)
  if (vectors.length === 0) throw new UsageError(`${folder} has no Markdown with a block \`\`\`http\n${usage}`)
  const server = await startLoadedServer(20, { LOG_LEVEL: 'error' })
  try {
    const { port, token } = server
    await warmUp(port, token)
    const watch = watchServer(server, bounds)
    const all = [...vectors, ...vectors.map(asOperation)]
    const { connections, answers, findings } = await runVectors(port, token, all)
    const { problems } = await watch.end()
    if (server.log() !== '') problems.push(`the log has errors:\n${server.log().slice(0, 5_000)}`)
    for (const finding of [...findings, ...problems]) console.log(`${finding}\n`)
    console.log('vectors by their answers:', answers)
    const counts = `${String(vectors.length)} vectors, ${String(connections)} connections`
    console.log(`${counts}, ${String(findings.length)} findings`)
    return findings.length + problems.length === 0
  } finally {
    await server.stop()
  }
}

/** Compares the readers, and prints the first difference. @returns whether there is none */
function fuzzReaders(seconds: number, seed: number): boolean {
  const progress = createProgress()
  const end = performance.now() + seconds * 1_000
  const batch = 2_000
  let number = 0
  for (; performance.now() < end; number += batch) {
    const problem = compareReaders(seed, number, batch)
    if (problem !== undefined) {
      progress.end()
      console.log(problem)
      return false
    }
    progress.show(`${String(number + batch)} documents and numbers`)
  }
  progress.end()
  console.log(`${String(number)} documents and numbers, no difference`)
  return true
}

await runCommand(run)
