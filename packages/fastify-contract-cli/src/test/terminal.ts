import { printable } from 'fastify-contract/json'
import type { TestRun } from '../suite/run.ts'
import type { Result } from '../suite/suite.ts'
import { curlOf } from './curl.ts'
import { Summary } from './summary.ts'

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
export async function printRun(
  run: TestRun,
  terminal: Terminal,
  { url, isCovered, each }: PrintOptions,
): Promise<boolean> {
  const start = performance.now()
  const summary = new Summary()
  const leftOut = new Map<string, Set<string>>()
  let [route, results]: [string | undefined, Result[]] = [undefined, []]
  let done = 0
  const flush = () => {
    if (results.length > 0) printOperation(route ?? 'all operations', results, terminal, { url, seed: run.seed })
    results = []
  }
  for await (const result of run) {
    terminal.progress(`${String(++done)}/${String(run.cases)} ${result.title}`)
    summary.add(result)
    each?.(result)
    if (result.verdict === 'left out') {
      const reason = result.reason === '' ? result.title : result.reason
      leftOut.set(
        reason,
        (leftOut.get(reason) ?? new Set()).add(result.reason === '' ? '' : (result.route ?? result.title)),
      )
    } else {
      if (result.route !== route) flush()
      route = result.route
      results.push(result)
    }
  }
  flush()
  for (const [reason, of] of leftOut)
    terminal.line(
      `left out: ${leftOutText(
        reason,
        [...of].filter((name) => name !== ''),
      )}`,
    )
  const { notImplemented } = summary
  if (notImplemented.size > 0) terminal.line(`not implemented (501): ${[...notImplemented].join(', ')}`)
  const gaps = run.coverage.gaps('declared').map((gap) => gap.replace(/^never seen: /, ''))
  if (isCovered) for (const gap of gaps) terminal.line(`never seen: ${gap}`)
  const seconds = String(Math.round((performance.now() - start) / 1000))
  const sent = `${String(run.operations)} operations, ${String(run.requests())} requests in ${seconds} s`
  // A status that was never seen says more than a header.
  const first = gaps.toSorted((a, b) => Number(a.includes(': ')) - Number(b.includes(': ')))
  const unseen = gaps.length === 0 ? '' : `; never seen: ${isCovered ? String(gaps.length) : several(first, 6)}`
  terminal.line(`${sent}: ${String(summary.count('ok'))} ok, ${summary.failed}${unseen}`)
  return summary.count('fault') === 0 && !(isCovered && gaps.length > 0)
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

function printOperation(
  route: string,
  results: Result[],
  { line }: Terminal,
  { url, seed }: { url: string; seed: number },
): void {
  const count = (verdict: Result['verdict']) => results.filter((result) => result.verdict === verdict).length
  const counts = [`${String(count('ok'))} ok`]
  if (count('fault') > 0) counts.push(`${String(count('fault'))} failed`)
  if (count('not implemented') > 0) counts.push(`${String(count('not implemented'))} not implemented`)
  line(`${route.padEnd(24)} ${counts.join(', ')}`)
  for (const result of results) {
    if (result.verdict !== 'fault') continue
    const title = result.operation === undefined ? result.title : result.title.replace(`${result.operation} `, '')
    line(printable(`  ${title} → ${result.problem}`))
    for (const request of result.requests) line(printable(`  ${curlOf(url, request)}`))
  }
  const only = results[0]?.route === undefined ? '' : ` --only "${route}"`
  if (count('fault') > 0) line(`  again: --seed ${String(seed)}${only}`)
}
