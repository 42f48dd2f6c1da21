import type { QueryResult } from 'pg'
import type { Waiting } from '../waiting.ts'
import { type CreatedRow, type OwnedPlant, type Statement, statements } from './statements.ts'
import type { Caller } from '../store.ts'

/** A write of one row. */
export type Write = {
  /** Equal for writes to the same row. */
  key: string
  /** The plant's owner; undefined for tokens. */
  caller?: Caller
} & (
  | { plant: OwnedPlant }
  | {
      statement: Statement
      /** Whether no other such write may come between what the statement reads and what it writes. */
      isSerializable?: true
    }
)

/** The number of changed rows, and the rows that the statement returns. */
export type Result<Row extends object = object> = Pick<QueryResult<Row>, 'rowCount' | 'rows'>

export type WaitingWrite = Waiting<Write, Result>

/** A statement of a transaction, and the writes that share it. */
interface Step {
  statement: Statement
  writes: WaitingWrite[]
  /** Splits the statement's result into one for each write. */
  resultsOf: (result: QueryResult) => Result[]
}

/** The sizes of an INSERT: few, because every connection prepares a statement for each size. */
const insertSizes = [256, 128, 64, 32, ...Array.from({ length: 16 }, (_, index) => 16 - index)]

/**
 * Arranges writes in stages: creates, then deletes and other statements, then creates after a delete of the same key,
 * and so on. The creates of a stage share statements. Writes with equal keys keep their order.
 *
 * @param batch ordered by key
 */
export function stepsOf(batch: WaitingWrite[]): Step[] {
  const stages: WaitingWrite[][] = []
  let stage = 0
  for (const [index, write] of batch.entries()) {
    if (write.item.key !== batch[index - 1]?.item.key) stage = 0
    // Even stages have creates.
    if ('plant' in write.item !== (stage % 2 === 0)) stage++
    ;(stages[stage] ??= []).push(write)
  }
  return stages.flatMap((writes, index) => (index % 2 === 0 ? createSteps(writes) : writes.map(singleStep)))
}

function createSteps(writes: WaitingWrite[]): Step[] {
  const steps: Step[] = []
  for (let start = 0; start < writes.length;) {
    const size = insertSizes.find((count) => count <= writes.length - start)!
    const together = writes.slice(start, start + size)
    const plants = together.flatMap(({ item }) => ('plant' in item ? [item.plant] : []))
    steps.push({
      statement: statements.createPlants(plants),
      writes: together,
      resultsOf: ({ rows }: QueryResult<CreatedRow>) => {
        const created = new Set(rows.map(({ caller, id }) => keyOfPlant(caller, id)))
        // Of creates with equal keys, the first succeeds.
        return together.map(({ item: { key } }) => ({ rowCount: created.delete(key) ? 1 : 0, rows: [] }))
      },
    })
    start += size
  }
  return steps
}

/** The step of a single write. */
function singleStep(write: WaitingWrite): Step {
  return { statement: statementOf(write), writes: [write], resultsOf: (result) => [result] }
}

/** The statement of a write by itself. */
export function statementOf({ item }: WaitingWrite): Statement {
  return 'plant' in item ? statements.createPlants([item.plant]) : item.statement
}

/** Unique for each plant, because an id contains no space. */
export function keyOfPlant(caller: Caller, id: bigint | string): string {
  return `${String(id)} ${caller}`
}

export function byKey({ item: a }: WaitingWrite, { item: b }: WaitingWrite): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}
