import { type LoadJob, type LoadResult, load } from './http-load.ts'

/** What the load process answers to each `LoadJob` that is sent to it. */
export type LoadAnswer = { result: LoadResult } | { problem: string }

process.on('message', (job) => {
  // The bench is the only sender, and sends nothing else.
  load(job as LoadJob).then(
    (result) => process.send?.({ result } satisfies LoadAnswer),
    (error: unknown) =>
      process.send?.({ problem: error instanceof Error ? error.message : String(error) } satisfies LoadAnswer),
  )
})
