import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pinned } from '../lab/lab.ts'
import { type LoadJob, type LoadResult, load } from './load.ts'

/** The load generator: a process on its own processor. It takes one job at a time. */
export interface LoadGenerator extends AsyncDisposable {
  /** @throws Error when a connection fails */
  run: (job: LoadJob) => Promise<LoadResult>
}

/** The message of the process after a job. */
type Outcome = { result: LoadResult } | { problem: string }

/** Starts the load generator. */
export function startLoad(): LoadGenerator {
  const [command, ...parameters] = pinned('load', [process.execPath, import.meta.filename])
  const child = spawn(command, parameters, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = new AbortController()
  child.once('exit', () => {
    ended.abort()
  })
  return {
    run: async (job) => {
      child.send(job)
      // The process sends only this message.
      const [outcome] = (await once(child, 'message', { signal: ended.signal })) as [Outcome]
      if ('problem' in outcome) throw new Error(`the load generator failed: ${outcome.problem}`)
      return outcome.result
    },
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

async function outcomeOf(job: LoadJob): Promise<Outcome> {
  try {
    return { result: await load(job) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

if (import.meta.main) {
  process.on('message', (job: LoadJob) => {
    void outcomeOf(job).then((result) => process.send?.(result))
  })
}
