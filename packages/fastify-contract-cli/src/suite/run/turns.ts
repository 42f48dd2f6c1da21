import { type Clock, timeIsUp } from '../ground/clock.ts'
import { LeftOut } from '../ground/left-out.ts'
import type { Case, CaseGroup } from './case-runner.ts'
import { type Result, leftOut } from './result.ts'

/** A group, and what has come of it so far. */
interface Turns {
  group: CaseGroup
  /** The cases that have not been run; undefined before they are listed. */
  left: Case[] | undefined
  results: Result[]
}

/**
 * Runs cases within a time. Groups take turns, each of which has its share of what is left: slow cases do not take the
 * time of other operations. The results of a group come together.
 */
export async function* takeTurns(
  groups: readonly CaseGroup[],
  clock: Clock,
  assertThere: () => Promise<void>,
): AsyncGenerator<Result, void, undefined> {
  let gone: LeftOut | undefined
  const whyToStop = () => gone ?? (clock.isOver ? timeIsUp() : undefined)

  /** Runs cases until the end of the turn, one at least. Each has its share of it. */
  async function takeTurn(turns: Turns): Promise<void> {
    const left = (turns.left ??= turns.group.cases())
    let weightLeft = left.reduce((sum, { weight }) => sum + weight, 0)
    do {
      const next = left.shift()
      if (next === undefined) return
      const { run, weight, ...named } = next
      const stop = whyToStop()
      if (stop !== undefined) {
        turns.results.push({ ...named, notes: [], ...leftOut(stop) })
        continue
      }
      const rest = clock.leftOfTurn
      const result = await run(Math.max(1, (rest * weight) / Math.max(1, weightLeft)), Math.max(1, rest / 2))
      weightLeft -= weight
      turns.results.push(result)
      if (!isWithoutResponse(result)) continue
      try {
        await assertThere()
      } catch {
        gone = new LeftOut('no response', 'the server does not respond any more')
      }
    } while (clock.leftOfTurn > 0 || whyToStop() !== undefined)
  }

  let waiting = groups.map((group): Turns => ({ group, left: undefined, results: [] }))
  while (waiting.length > 0) {
    const unfinished: Turns[] = []
    for (const [index, turns] of waiting.entries()) {
      const { cases: _list, ...named } = turns.group
      const stop = whyToStop()
      if (stop !== undefined && turns.left === undefined) {
        const title = `${named.operation ?? 'the contract'} is tried`
        yield { ...named, title, notes: [], ...leftOut(stop) }
        continue
      }
      clock.startTurn(waiting.length - index + unfinished.length)
      await takeTurn(turns)
      if (turns.left?.length === 0) yield* turns.results
      else unfinished.push(turns)
    }
    waiting = unfinished
  }
}

function isWithoutResponse(result: Result): boolean {
  if (result.verdict === 'fault') return result.faults.some(({ kind }) => kind === 'no response')
  return result.verdict === 'left out' && result.because === 'no response'
}
