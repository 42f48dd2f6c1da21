import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { loadProcessor } from '../servers/server-process.ts'
import type { LoadJob, LoadResult } from './http-load.ts'
import type { LoadAnswer, LoadTask } from './load-process.ts'
import type { Offer, OfferedResult } from './offer-load.ts'

/** The load generator: a process of its own on a processor of its own. It takes one task at a time. */
export interface LoadGenerator {
  /** @throws Error when a connection fails */
  run: (job: LoadJob) => Promise<LoadResult>
  /** @throws Error when no connection can be opened */
  offer: (offer: Offer) => Promise<OfferedResult>
  stop: () => Promise<void>
}

/** Starts the load generator. */
export function startLoad(): LoadGenerator {
  const child = spawn(
    'taskset',
    ['-c', loadProcessor, process.execPath, join(import.meta.dirname, 'load-process.ts')],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  )
  const ended = new AbortController()
  child.once('exit', () => {
    ended.abort()
  })

  async function send(task: LoadTask): Promise<LoadResult | OfferedResult> {
    child.send(task)
    // `once` gives the arguments of the event; load-process.ts sends nothing else.
    const [answer] = (await once(child, 'message', { signal: ended.signal })) as [LoadAnswer]
    if ('problem' in answer) throw new Error(`the load generator failed: ${answer.problem}`)
    return answer.result
  }

  return {
    // The load process answers each kind of task with its own kind of result.
    run: async (job) => (await send({ run: job })) as LoadResult,
    offer: async (offer) => (await send({ offer })) as OfferedResult,
    stop: async () => {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
