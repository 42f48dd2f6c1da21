import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { spreadOf } from '../../scripts/measure/report/spread.ts'

/** How long a request waits for the disk and for PostgreSQL: the median of each round, in microseconds. */
export interface WaitFigures {
  /** An append of 4 KiB to a file until it is on disk. */
  append: number[]
  /** A `SELECT 1` on a PostgreSQL server of this machine, with no other query. */
  roundTrip: number[]
}

const repetitions = 100

const appendedBytes = 4_096

/**
 * Measures waits one after the other, without other load.
 *
 * @param folder a folder on the disk that is measured
 * @param url the URL of a PostgreSQL server
 */
export async function measureWaits(folder: string, url: string, rounds: number): Promise<WaitFigures> {
  const path = join(folder, 'appended')
  const file = await open(path, 'a')
  const client = new Client({ connectionString: url })
  await client.connect()
  const figures: WaitFigures = { append: [], roundTrip: [] }
  const block = Buffer.alloc(appendedBytes, 1)
  try {
    for (let round = 0; round < rounds; round++) {
      figures.append.push(
        await medianWait(async () => {
          await file.write(block)
          await file.datasync()
        }),
      )
      figures.roundTrip.push(await medianWait(() => client.query('SELECT 1')))
    }
    return figures
  } finally {
    await client.end()
    await file.close()
    await rm(path)
  }
}

async function medianWait(act: () => Promise<unknown>): Promise<number> {
  const waits: number[] = []
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const start = performance.now()
    await act()
    waits.push((performance.now() - start) * 1_000)
  }
  return spreadOf(waits).median
}
