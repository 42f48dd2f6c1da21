import { reportKey } from '../../suite/run/report-key.ts'
import type { WireRequest } from '../../suite/ground/exchange.ts'
import { type Named, type Result, type ShownFault, titleOfValid } from '../../suite/run/result.ts'

/** A fault that a test has found. */
type Failed = Named & ShownFault

/** Reports of one operation that have one cause. */
export interface FaultGroup {
  /** What was tested. */
  title: string
  problem: string
  /** The shortest requests that show it. */
  requests: readonly WireRequest[]
}

/**
 * Puts the reports of an operation together that break the same rule for the same reason, or that the same requests show.
 */
export function groupsOf(results: readonly Extract<Result, { verdict: 'fault' }>[]): FaultGroup[] {
  const faults = results.flatMap(({ faults: all, ...named }) =>
    all.map((fault): Failed => {
      if (fault.isOfValid !== true) return { ...named, ...fault }
      return { ...named, ...fault, title: `${named.operation ?? ''} ${titleOfValid}`, broken: undefined }
    }),
  )
  const causeGroups = [...Map.groupBy(faults, reportKey).values()]
  const shownAlike = Map.groupBy(causeGroups, (group) => {
    const { problem, requests } = shortestOf(group)
    return JSON.stringify([problem, stepsOf(requests)])
  })
  return [...shownAlike.values()].map((groups) => {
    const group = groups.flat()
    const shortest = shortestOf(group)
    return { title: titleOf(group, shortest), problem: shortest.problem, requests: stepsOf(shortest.requests) }
  })
}

/** @param group has one at least */
function shortestOf(group: readonly Failed[]): Failed {
  return group.toSorted((a, b) => lengthOf(a) - lengthOf(b))[0]!
}

function titleOf(group: readonly Failed[], shortest: Failed): string {
  const { operation, title } = shortest
  const own = operation === undefined ? title : title.replace(`${operation} `, '')
  const more = group.length - 1
  if (more === 0) return own
  return `${own} (and ${String(more)} more such test${more === 1 ? '' : 's'}${placesOf(group, shortest)})`
}

function placesOf(group: readonly Failed[], shortest: Failed): string {
  const places = new Set(group.filter((each) => each !== shortest).map((each) => each.broken?.place))
  const names = [...places].filter((place) => place !== undefined)
  const shown = names.slice(0, 3).join(', ')
  return names.length === 0 ? '' : `: ${shown}${names.length > 3 ? ', …' : ''}`
}

function lengthOf({ requests }: Failed): number {
  return stepsOf(requests).reduce((sum, { url, body = '' }) => sum + 200 + url.length + body.length, 0)
}

/** The last request shows the fault; of those before it, what changes something. */
function stepsOf(requests: readonly WireRequest[]): WireRequest[] {
  return requests.filter(({ method }, index) => index === requests.length - 1 || !['GET', 'HEAD'].includes(method))
}
