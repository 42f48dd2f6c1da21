import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join, sep } from 'node:path'
import { contractFile } from '../../../packages/fastify-contract/src/document/document.ts'
import { watchFiles } from './watch-files.ts'

/** An editor saves in several steps; what follows within this time belongs together. */
const settleMilliseconds = 60

/** What was saved. */
export interface Saved {
  contract: boolean
}

/**
 * Watches openapi.yaml and the source files, by their folders: many editors save by renaming a new file into place.
 *
 * @param onSave called at once, as if everything had been saved, and then once for what was saved together; not again
 *   before it has resolved. `followContract` takes the files that openapi.yaml refers to, which are watched as it is
 * @returns what ends the watching
 */
export function watchProject(
  root: string,
  onSave: (saved: Saved, followContract: (files: readonly string[]) => void) => Promise<void>,
): () => void {
  let pending: Saved | undefined = { contract: true }
  let timer: NodeJS.Timeout | undefined
  let handling = false
  let closed = false

  async function handle(): Promise<void> {
    if (handling || closed || pending === undefined) return
    handling = true
    const saved = pending
    pending = undefined
    await onSave(saved, followContract)
    handling = false
    await handle()
  }

  function note(contract: boolean): void {
    pending = { contract: contract || pending?.contract === true }
    clearTimeout(timer)
    timer = setTimeout(() => void handle(), settleMilliseconds)
  }

  function followContract(files: readonly string[]): void {
    if (!closed) contract.follow(files)
  }

  const contract = watchFiles(root, () => {
    note(true)
  })
  contract.follow([contractFile])
  const stopSources = watchSources(join(root, 'src'), () => {
    note(false)
  })
  void handle()
  return () => {
    closed = true
    clearTimeout(timer)
    contract.stop()
    stopSources()
  }
}

/**
 * Calls back for each source file in a folder and below that is written, made, renamed or removed.
 *
 * `watch` with `recursive` is not enough on Linux: Node watches each file there and follows the file, not its name, so
 * only the first of the saves that rename a new file into place is seen.
 *
 * @returns what ends the watching
 */
function watchSources(top: string, onSave: () => void): () => void {
  const watchers = new Map<string, FSWatcher>()

  function follow(folder: string): void {
    watchers.set(
      folder,
      watch(folder, (event, name) => {
        if (name?.endsWith('.ts') === true) onSave()
        else if (event === 'rename' && name !== null) followAnew(join(folder, name))
      }),
    )
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) follow(join(folder, entry.name))
  }

  /** Follows a folder that is new or was replaced, and forgets one that is gone. */
  function followAnew(path: string): void {
    const known = [...watchers].filter(([folder]) => folder === path || folder.startsWith(path + sep))
    for (const [folder, watcher] of known) {
      watcher.close()
      watchers.delete(folder)
    }
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    if (isFolder) follow(path)
    // The files in a new folder may be older than its watcher.
    if (isFolder || known.length > 0) onSave()
  }

  follow(top)
  return () => {
    for (const watcher of watchers.values()) watcher.close()
  }
}
