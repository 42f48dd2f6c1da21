import { watch } from 'node:fs'
import { join } from 'node:path'
import { contractFile } from '../generate/generate-files.ts'

/** An editor saves in several steps. Events within this time are one save. */
const settleMilliseconds = 60

/** A save. */
export interface Saved {
  /** Whether openapi.yaml was saved. */
  contract: boolean
}

/**
 * Watches openapi.yaml and the source files, by their folders: many editors save by renaming a new file into place.
 *
 * @param onSave called once for each save, and not again until it has resolved
 * @returns a function that stops watching
 */
export function watchProject(root: string, onSave: (saved: Saved) => Promise<void>): () => void {
  let pending: Saved | undefined
  let timer: NodeJS.Timeout | undefined
  let handling = false

  async function handle(): Promise<void> {
    if (handling || pending === undefined) return
    handling = true
    const saved = pending
    pending = undefined
    await onSave(saved)
    handling = false
    await handle()
  }

  function note(contract: boolean): void {
    pending = { contract: contract || pending?.contract === true }
    clearTimeout(timer)
    timer = setTimeout(() => void handle(), settleMilliseconds)
  }

  const watchers = [
    watch(root, (_event, name) => {
      if (name === contractFile) note(true)
    }),
    watch(join(root, 'src'), { recursive: true }, (_event, name) => {
      if (name?.endsWith('.ts') === true) note(false)
    }),
  ]
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
