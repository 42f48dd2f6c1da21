import { type LoadJob, type LoadResult, load } from './http-load.ts'
import { type Offer, type OfferedResult, offerLoad } from './offer-load.ts'

/** What the load process does. It takes one task at a time. */
export type LoadTask = { run: LoadJob } | { offer: Offer }

/** What the load process answers to a task. */
export type LoadAnswer = { result: LoadResult | OfferedResult } | { problem: string }

process.on('message', (message) => {
  // start-load.ts is the only sender, and sends nothing else.
  const task = message as LoadTask
  const done: Promise<LoadResult | OfferedResult> = 'run' in task ? load(task.run) : offerLoad(task.offer)
  done.then(
    (result) => process.send?.({ result } satisfies LoadAnswer),
    (error: unknown) =>
      process.send?.({ problem: error instanceof Error ? error.message : String(error) } satisfies LoadAnswer),
  )
})
