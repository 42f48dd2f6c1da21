import { printable } from 'fastify-contract/json'
import type { TestRun } from '../suite/run.ts'
import type { Result } from '../suite/suite.ts'
import { curlOf } from './curl.ts'

/** Where lines and progress go. */
export interface Terminal {
  /** A line of the report. */
  line: (text: string) => void
  /** Why the server cannot be judged. */
  problem: (text: string) => void
  /** What is tested now; replaced by the next. */
  progress: (text: string) => void
}

export interface PrintOptions {
  /** The URL of the server with its base path, for lines of curl. */
  url: string
  /** Whether what was never seen is a failure. */
  isCovered: boolean
  /** Takes each result too. */
  each?: (result: Result) => void
}

/**
 * Prints a run, one line for each operation with its faults below.
 *
 * @returns whether the server keeps the contract
 */
export async function printRun(run: TestRun, terminal: Terminal, options: PrintOptions): Promise<boolean> {
  const start = performance.now()
  const { line } = terminal
  const counts = new Map<string, number>()
  const kinds = new Map<string, number>()
  const leftOut = new Map<string, Set<string>>()
  const notImplemented = new Set<string>()
  let ofRoute: Result[] = []
  const operations = new Set<string>()
  const flush = () => {
    if (ofRoute.length > 0) printOperation(ofRoute, line, { ...options, seed: run.seed })
    ofRoute = []
  }
  for await (const result of run) {
    operations.add(result.operation ?? '')
    terminal.progress(`${String(operations.size)}/${String(run.operations)} ${result.title}`)
    options.each?.(result)
    const { verdict, route = result.title } = result
    add(counts, verdict)
    if (verdict === 'left out') {
      const [reason, who] = result.reason === '' ? [result.title] : [result.reason, route]
      leftOut.set(reason, new Set([...(leftOut.get(reason) ?? []), who ?? []].flat()))
      continue
    }
    if (verdict === 'fault') add(kinds, result.kind)
    if (verdict === 'not implemented') notImplemented.add(route)
    if (result.route !== ofRoute[0]?.route) flush()
    ofRoute.push(result)
  }
  flush()
  for (const [reason, who] of leftOut) line(`left out: ${leftOutText(reason, [...who])}`)
  if (notImplemented.size > 0) line(`not implemented (501): ${[...notImplemented].join(', ')}`)
  const gaps = run.coverage.gaps('declared').map((gap) => gap.replace(/^never seen: /, ''))
  if (options.isCovered) for (const gap of gaps) line(`never seen: ${gap}`)
  const seconds = String(Math.round((performance.now() - start) / 1000))
  const sent = `${String(run.operations)} operations, ${String(run.requests())} requests in ${seconds} s`
  const faults = counts.get('fault') ?? 0
  const ofKinds = [...kinds].map(([kind, count]) => `${String(count)} ${kind}`).join(', ')
  const failed = `${String(faults)} failed${ofKinds === '' ? '' : ` (${ofKinds})`}`
  // A status that was never seen says more than a header.
  const first = gaps.toSorted((a, b) => Number(a.includes(': ')) - Number(b.includes(': ')))
  const unseen = gaps.length === 0 ? '' : `; never seen: ${options.isCovered ? String(gaps.length) : several(first, 6)}`
  line(`${sent}: ${String(counts.get('ok') ?? 0)} ok, ${failed}${unseen}`)
  return faults === 0 && !(options.isCovered && gaps.length > 0)
}

function add(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

/** One line for all that is left out for the same reason. */
function leftOutText(reason: string, names: string[]): string {
  const verb = names.length === 1 ? 'needs' : 'need'
  const text = reason.startsWith('it needs ') ? `${verb}${reason.slice('it needs'.length)}` : undefined
  const who = names.length > 3 ? `${String(names.length)} operations` : names.join(', ')
  return printable(names.length === 0 ? reason : text === undefined ? `${who}: ${reason}` : `${who} ${text}`)
}

function several(names: string[], most: number): string {
  const more = names.length > most ? ` and ${String(names.length - most)} more (--coverage lists them)` : ''
  return `${names.slice(0, most).join(', ')}${more}`
}

/** @param results of one operation; there is one at least */
function printOperation(
  results: Result[],
  line: Terminal['line'],
  { url, seed }: PrintOptions & { seed: number },
): void {
  const [{ route } = { route: undefined }] = results
  const faults = results.filter((result) => result.verdict === 'fault')
  const count = (verdict: Result['verdict'], text: string) => {
    const some = results.filter((result) => result.verdict === verdict).length
    return some > 0 || verdict === 'ok' ? [`${String(some)} ${text}`] : []
  }
  const counts = [...count('ok', 'ok'), ...count('fault', 'failed'), ...count('not implemented', 'not implemented')]
  line(`${(route ?? 'all operations').padEnd(24)} ${counts.join(', ')}`)
  for (const { operation, title, problem, requests } of faults) {
    line(printable(`  ${operation === undefined ? title : title.replace(`${operation} `, '')} → ${problem}`))
    for (const request of requests) line(printable(`  ${curlOf(url, request)}`))
  }
  if (faults.length > 0) line(`  again: --seed ${String(seed)}${route === undefined ? '' : ` --only "${route}"`}`)
  const notes = new Map<string, number>()
  for (const note of results.flatMap((result) => result.notes)) add(notes, note)
  for (const [note, times] of notes) line(printable(`  note: ${note} (${String(times)} tests)`))
}
