import { type WireRequest, sizeOf } from '../../suite/ground/exchange.ts'
import type { TestRun } from '../../suite/run/run.ts'
import type { Result } from '../../suite/run/result.ts'
import { curlOf } from './curl.ts'
import { groupsOf } from './fault-groups.ts'
import { printLine, showProgress } from './progress.ts'
import type { Secrets } from './secrets.ts'
import { exitCodeOf, tallyOf } from './tally.ts'

export interface PrintOptions {
  /** The URL of the server with the base path of a request, for lines of curl. */
  urlOf: (request: WireRequest) => string
  secrets: Secrets
  /** Whether what was never seen is a failure. */
  isCovered: boolean
}

/** A run that is over. */
export interface PrintedRun {
  /** Without secrets. */
  results: readonly Result[]
  /** What the contract declares and was never seen. */
  gaps: readonly string[]
  /** 0 where the server keeps the contract, 1 where it breaks it, 2 where not all was tested. */
  exitCode: 0 | 1 | 2
}

/** Prints a run, one line for each operation with its faults below. */
export async function printRun(run: TestRun, options: PrintOptions): Promise<PrintedRun> {
  const start = performance.now()
  const { secrets, isCovered } = options
  const results: Result[] = []
  let routeResults: Result[] = []
  const operations = new Set<string>()
  const flush = () => {
    if (routeResults.length > 0) printOperation(routeResults, run.seed, options)
    routeResults = []
  }
  for await (const each of run) {
    const result = secrets.hideIn(each)
    results.push(result)
    operations.add(result.operation ?? '')
    showProgress(`${String(operations.size)}/${String(run.operations.length)} ${result.title}`)
    if (result.verdict === 'left out') continue
    if (result.route !== routeResults[0]?.route) flush()
    routeResults.push(result)
  }
  flush()
  const gaps = run.coverage.gaps('declared', run.operations)
  const unseen = gaps.map((gap) => gap.replace(/^never seen: /, ''))
  const skipped = results.filter((result) => result.verdict === 'left out')
  const lines = [...skippedLines(skipped), ...secrets.instructions(), ...(isCovered ? gaps : [])]
  for (const line of lines) printLine(line)
  const seconds = String(Math.round((performance.now() - start) / 1000))
  const sent = `${counted(run.operations.length, 'operation')}, ${counted(run.requests(), 'request')} in ${seconds} s`
  // A status that was never seen says more than a header.
  const first = unseen.toSorted((a, b) => Number(a.includes(': ')) - Number(b.includes(': ')))
  const missing = gaps.length === 0 ? '' : `; never seen: ${isCovered ? String(gaps.length) : several(first, 6)}`
  printLine(`${sent}: ${tallyOf(results)}${missing}`)
  return { results, gaps, exitCode: isCovered && gaps.length > 0 ? 1 : exitCodeOf(results) }
}

function counted(count: number, what: string): string {
  return `${String(count)} ${what}${count === 1 ? '' : 's'}`
}

type LeftOutResult = Extract<Result, { verdict: 'left out' }>

/** One line for each reason for which something is left out. */
function skippedLines(results: readonly LeftOutResult[]): string[] {
  const reasons = Map.groupBy(results, ({ because, reason }) => {
    return because === 'not implemented' ? because : reason
  })
  return [...reasons].flatMap(([reason, group]) => {
    const names = [...new Set(group.map((each) => each.route ?? each.title))]
    if (reason === '--skip') return `skipped: ${names.join(', ')}`
    if (reason === 'not implemented') {
      return `not implemented (501): ${[...new Set(group.map((each) => each.reason))].join(', ')}`
    }
    if (reason === '') return names.map((name) => `left out: ${name}`)
    // Others of the operation are tested.
    if (group[0]?.because === 'no success' && group.length <= 3)
      return group.map(({ route = '', operation = '', title }) => {
        return `left out: ${route}${title.slice(operation.length)}: ${reason}`
      })
    const isNamed = names.length <= 3 || group[0]?.because === 'skipped'
    const who = !isNamed ? counted(names.length, 'operation') : names.join(', ')
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
function printOperation(results: readonly Result[], seed: number, { urlOf, secrets }: PrintOptions): void {
  const printRequest = (request: WireRequest) => {
    printLine(`  ${curlOf(urlOf(request), request, (text) => secrets.shellWord(text))}`)
  }
  const route = results[0]?.route
  const faults = results.filter((result) => result.verdict === 'fault')
  const count = (verdict: Result['verdict'], text: string) => {
    const some = results.filter((result) => result.verdict === verdict).length
    return some > 0 || verdict === 'ok' ? [`${String(some)} ${text}`] : []
  }
  const counts = [...count('ok', 'ok'), ...count('fault', 'failed'), ...count('not judged', 'not judged')]
  printLine(`${(route ?? 'all operations').padEnd(24)} ${counts.join(', ')}`)
  const unjudged = results.filter((result) => result.verdict === 'not judged')
  for (const [reason, tests] of Map.groupBy(unjudged, (result) => result.reason))
    printLine(`  not judged in ${counted(tests.length, 'test')}: ${reason}`)
  for (const { title, problem, requests } of groupsOf(faults)) {
    printLine(`  ${title} → ${problem}`)
    for (const request of requests) printRequest(request)
  }
  if (faults.length > 0) printLine(`  again: --seed ${String(seed)}${route === undefined ? '' : ` --only "${route}"`}`)
  const notes = results.flatMap((result) => result.notes)
  for (const [note, same] of Map.groupBy(notes, ({ text }) => text)) {
    printLine(`  note: ${note} (${counted(same.length, 'test')})`)
    const requests = same.flatMap(({ request }) => request ?? [])
    const [smallest] = requests.toSorted((a, b) => sizeOf(a) - sizeOf(b))
    if (smallest !== undefined) printRequest(smallest)
  }
}
