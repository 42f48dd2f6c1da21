import { printable } from 'fastify-contract/json'
import type { WireRequest } from '../../suite/ground/exchange.ts'
import type { TestRun } from '../../suite/run/run.ts'
import type { Result } from '../../suite/run/suite.ts'
import { curlOf } from './curl.ts'
import { groupsOf } from './fault-groups.ts'
import type { Secrets } from './secrets.ts'
import { Tally } from './tally.ts'

/** Where lines and progress go. */
export interface Terminal {
  /** A line of the report. */
  line: (text: string) => void
  /** Why the server cannot be judged. */
  problem: (text: string) => void
  /** What is tested now; replaced by the next. */
  progress: (text: string) => void
}

/** A terminal that nothing in a contract or in a response controls. */
export function withPrintableText({ line, problem, progress }: Terminal): Terminal {
  const printed = (print: (text: string) => void) => (text: string) => {
    print(printable(text))
  }
  return { line: printed(line), problem: printed(problem), progress: printed(progress) }
}

export interface PrintOptions {
  /** The URL of the server with the base path of a request, for lines of curl. */
  urlOf: (request: WireRequest) => string
  secrets: Secrets
  /** Whether what was never seen is a failure. */
  isCovered: boolean
  /** Takes each result too. */
  each?: (result: Result) => void
}

/**
 * Prints a run, one line for each operation with its faults below.
 *
 * @returns the exit code: 0 where the server keeps the contract, 1 where it breaks it, 2 where not all was tested
 */
export async function printRun(run: TestRun, terminal: Terminal, options: PrintOptions): Promise<0 | 1 | 2> {
  const start = performance.now()
  const { line } = terminal
  const tally = new Tally()
  const skipped: LeftOutResult[] = []
  let routeResults: Result[] = []
  const operations = new Set<string>()
  const flush = () => {
    if (routeResults.length > 0) printOperation(routeResults, line, { ...options, seed: run.seed })
    routeResults = []
  }
  for await (const each of run) {
    const result = options.secrets.hideIn(each)
    operations.add(result.operation ?? '')
    terminal.progress(`${String(operations.size)}/${String(run.operations.length)} ${result.title}`)
    options.each?.(result)
    tally.add(result)
    if (result.verdict === 'left out') {
      skipped.push(result)
      continue
    }
    if (result.route !== routeResults[0]?.route) flush()
    routeResults.push(result)
  }
  flush()
  for (const text of skippedLines(skipped)) line(text)
  for (const instruction of options.secrets.instructions()) line(instruction)
  const gaps = run.coverage.gaps('declared', run.operations).map((gap) => gap.replace(/^never seen: /, ''))
  if (options.isCovered) for (const gap of gaps) line(`never seen: ${gap}`)
  const seconds = String(Math.round((performance.now() - start) / 1000))
  const sent = `${counted(run.operations.length, 'operation')}, ${counted(run.requests(), 'request')} in ${seconds} s`
  // A status that was never seen says more than a header.
  const first = gaps.toSorted((a, b) => Number(a.includes(': ')) - Number(b.includes(': ')))
  const unseen = gaps.length === 0 ? '' : `; never seen: ${options.isCovered ? String(gaps.length) : several(first, 6)}`
  line(`${sent}: ${tally.text}${unseen}`)
  return options.isCovered && gaps.length > 0 ? 1 : tally.exitCode
}

function counted(count: number, what: string): string {
  return `${String(count)} ${what}${count === 1 ? '' : 's'}`
}

type LeftOutResult = Extract<Result, { verdict: 'left out' }>

/** One line for each reason for which something is left out. */
function skippedLines(results: readonly LeftOutResult[]): string[] {
  const reasons = Map.groupBy(results, ({ because, reason }) => {
    return because === 'skipped' || because === 'not implemented' ? because : reason
  })
  return [...reasons].flatMap(([reason, group]) => {
    const names = [...new Set(group.map((each) => each.route ?? each.title))]
    if (reason === 'skipped') return `skipped: ${names.join(', ')}`
    if (reason === 'not implemented') {
      return `not implemented (501): ${[...new Set(group.map((each) => each.reason))].join(', ')}`
    }
    if (reason === '') return names.map((name) => `left out: ${name}`)
    const who = names.length > 3 ? counted(names.length, 'operation') : names.join(', ')
    const needs = /^it needs (.*)$/.exec(reason)?.[1]
    if (needs !== undefined) return `left out: ${who} ${names.length === 1 ? 'needs' : 'need'} ${needs}`
    return `left out: ${group.length > names.length ? `${counted(group.length, 'test')} of ` : ''}${who}: ${reason}`
  })
}

function several(names: string[], maxNames: number): string {
  const more = names.length > maxNames ? ` and ${String(names.length - maxNames)} more (--coverage lists them)` : ''
  return `${names.slice(0, maxNames).join(', ')}${more}`
}

/** @param results of one operation; there is one at least */
function printOperation(
  results: Result[],
  line: Terminal['line'],
  { urlOf, secrets, seed }: PrintOptions & { seed: number },
): void {
  const [{ route } = { route: undefined }] = results
  const faults = results.filter((result) => result.verdict === 'fault')
  const count = (verdict: Result['verdict'], text: string) => {
    const some = results.filter((result) => result.verdict === verdict).length
    return some > 0 || verdict === 'ok' ? [`${String(some)} ${text}`] : []
  }
  const counts = [...count('ok', 'ok'), ...count('fault', 'failed'), ...count('not judged', 'not judged')]
  line(`${(route ?? 'all operations').padEnd(24)} ${counts.join(', ')}`)
  const unjudged = Map.groupBy(
    results.filter((result) => result.verdict === 'not judged'),
    ({ reason }) => reason,
  )
  for (const [reason, tests] of unjudged) line(`  not judged in ${counted(tests.length, 'test')}: ${reason}`)
  for (const { title, problem, requests } of groupsOf(faults)) {
    line(`  ${title} → ${problem}`)
    for (const request of requests) line(`  ${curlOf(urlOf(request), request, (text) => secrets.shellWord(text))}`)
  }
  if (faults.length > 0) line(`  again: --seed ${String(seed)}${route === undefined ? '' : ` --only "${route}"`}`)
  const notes = new Map<string, number>()
  for (const note of results.flatMap((result) => result.notes)) notes.set(note, (notes.get(note) ?? 0) + 1)
  for (const [note, times] of notes) line(`  note: ${note} (${counted(times, 'test')})`)
}
