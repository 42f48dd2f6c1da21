import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'

/** Watches files by their names, through their folders: those that are replaced, removed, or not there yet, too. */
export interface FilesWatcher {
  /** Watches these files beside those that are watched already. */
  follow: (files: readonly string[]) => void
  stop: () => void
}

/**
 * @param root the folder from which the files are named; it is there as long as this watches
 * @param onChange called for each change of a file, and of a folder that leads to one
 */
export function watchFiles(root: string, onChange: () => void): FilesWatcher {
  const top = resolve(root)
  const followed = new Set<string>()
  const watchers = new Map<string, FSWatcher>()

  function watchFolders(): void {
    for (const folder of new Set([...followed].flatMap((file) => foldersTo(file, top)))) {
      const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
      if (isThere && !watchers.has(folder)) {
        watchers.set(
          folder,
          watch(folder, (_event, name) => {
            if (name !== null) note(join(folder, name))
          }),
        )
      }
    }
  }

  function note(path: string): void {
    const leadsToOne = [...followed].some((file) => file.startsWith(path + sep))
    if (leadsToOne) {
      // A folder that is new, gone, or another one now.
      for (const [folder, watcher] of watchers) {
        if (folder !== path && !folder.startsWith(path + sep)) continue
        watcher.close()
        watchers.delete(folder)
      }
      watchFolders()
    }
    if (leadsToOne || followed.has(path)) onChange()
  }

  return {
    follow: (files) => {
      for (const file of files) followed.add(resolve(top, file))
      watchFolders()
    },
    stop: () => {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

/** The folder of a file and those above it, up to the top; outside of it, the folder alone. */
function foldersTo(file: string, top: string): string[] {
  const folder = dirname(file)
  return folder === top || !folder.startsWith(top + sep) ? [folder] : [...foldersTo(folder, top), folder]
}
