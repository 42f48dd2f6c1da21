import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { loadProcessor } from '../servers/server-process.ts'
import type { LoadJob, LoadResult } from './http-load.ts'
import type { LoadAnswer } from './load-process.ts'

/** The load generator, in a process of its own on a processor of its own. */
export interface LoadGenerator {
  /** @throws Error when a connection fails */
  run: (job: LoadJob) => Promise<LoadResult>
  stop: () => Promise<void>
}

/** Starts the load generator. It takes one job at a time. */
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
  return {
    run: async (job) => {
      child.send(job)
      // `once` gives the arguments of the event; load-process.ts sends nothing else.
      const [answer] = (await once(child, 'message', { signal: ended.signal })) as [LoadAnswer]
      if ('problem' in answer) throw new Error(`the load generator failed: ${answer.problem}`)
      return answer.result
    },
    stop: async () => {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
