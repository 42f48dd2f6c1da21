import { mkdirSync, rmSync } from 'node:fs'
import { type MountedDisk, mountDisk } from './disk/mounted-disk.ts'
import { type Files, writeFiles } from './disk/rebuild.ts'
import type { Recorded } from './disk/recording.ts'
import { Processes } from './service/processes.ts'

/**
 * Mounts a disk, and unmounts it in the end.
 *
 * @param folder an empty folder
 * @param content a folder whose content the disk begins with
 * @param nodeOptions for the programs that run on it
 * @returns the result of `use`, and what happened to the disk
 */
export async function runOnDisk<Result>(
  { folder, content, nodeOptions }: { folder: string; content: string; nodeOptions: string[] },
  use: (disk: MountedDisk, processes: Processes) => Promise<Result>,
): Promise<{ result: Result; recording: Recorded[] }> {
  const processes = new Processes(nodeOptions)
  const disk = await mountDisk(folder, content)
  let result: Result
  let recording: Recorded[]
  try {
    result = await use(disk, processes)
  } finally {
    await processes.end()
    recording = await disk.end()
  }
  return { result, recording }
}

/** Writes files into a folder that is there until `use` ends. */
export async function inFolder<Result>(
  files: Files,
  folder: string,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  mkdirSync(folder)
  try {
    writeFiles(files, folder)
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
