import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Missing } from '../../../test/support/run-named.ts'
import { startProgram } from '../../../test/support/server/program.ts'
import { type Recorded, readRecording } from './recording.ts'

/** A mounted disk in memory that records its operations. */
export interface MountedDisk {
  /** The mount point. */
  folder: string
  /** The current instant: the length of the recording. */
  instant: () => number
  /** Unmounts it; processes that still use it get errors. @returns the recording */
  end: () => Promise<Recorded[]>
}

/**
 * Mounts a disk.
 *
 * @param folder an empty folder for the mount point and the recording
 * @param content a folder with the initial content of the disk
 * @throws Missing when this machine or this user cannot mount it
 */
export async function mountDisk(folder: string, content: string): Promise<MountedDisk> {
  const mountPoint = join(folder, 'disk')
  const recording = join(folder, 'recording')
  mkdirSync(mountPoint)
  const device = openDevice()
  const command = [process.execPath, join(import.meta.dirname, 'serve-disk.ts'), recording, content]
  const server = await startProgram(command, { descriptors: [device] }, (text) => text === 'loaded')
  try {
    mount(mountPoint, device)
  } catch (error) {
    await server.end('SIGKILL')
    throw error
  } finally {
    closeSync(device)
  }
  const unmount = () => void spawnSync('umount', ['--lazy', mountPoint])
  process.once('exit', unmount)
  return {
    folder: mountPoint,
    instant: () => statSync(recording).size,
    end: async () => {
      unmount()
      process.off('exit', unmount)
      if ((await server.ended) !== 0) throw new Error(`the disk failed: ${server.stderr()}`)
      return readRecording(recording)
    },
  }
}

const remedy = 'run this as root, or in a user namespace (unshare --user --map-root-user --mount), on Linux with FUSE'

function openDevice(): number {
  try {
    return openSync('/dev/fuse', 'r+')
  } catch (error) {
    throw new Missing(`/dev/fuse cannot be opened (${(error as Error).message}): ${remedy}`, { cause: error })
  }
}

function mount(mountPoint: string, device: number): void {
  const options = `fd=3,rootmode=40000,user_id=0,group_id=0,max_read=131072`
  // Not with the helper mount.fuse, which would start another program.
  const { error, status, stderr } = spawnSync(
    'mount',
    ['--internal-only', '-t', 'fuse', '-o', options, 'power-loss', mountPoint],
    { stdio: ['ignore', 'ignore', 'pipe', device], encoding: 'utf8' },
  )
  if (error !== undefined) throw error
  if (status !== 0) throw new Missing(`a disk cannot be mounted (${stderr.split('\n')[0] ?? ''}): ${remedy}`)
}
