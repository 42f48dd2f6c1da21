import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pinned } from '../../test/support/server/lab.ts'
import { type LoadJob, type LoadResult, load } from './load.ts'

/** The load generator: a process on its own processor. It takes one job at a time. */
export interface LoadGenerator extends AsyncDisposable {
  /** @throws Error when a connection fails; the generator has then ended, and has printed why */
  run: (job: LoadJob) => Promise<LoadResult>
}

/** Starts the load generator. */
export function startLoad(): LoadGenerator {
  const [command, ...parameters] = pinned('load', [process.execPath, import.meta.filename])
  const child = spawn(command, parameters, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const exited = once(child, 'exit')
  return {
    run: async (job) => {
      child.send(job)
      const outcome = await Promise.race([once(child, 'message'), exited.then(() => undefined)])
      if (outcome === undefined) throw new Error('the load generator has failed')
      // The process sends only this message.
      return outcome[0] as LoadResult
    },
    [Symbol.asyncDispose]: async () => {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

if (import.meta.main) {
  process.on('message', (job: LoadJob) => {
    void load(job).then((result) => process.send?.(result))
  })
}
