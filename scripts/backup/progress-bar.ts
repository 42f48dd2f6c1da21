import { stderr } from 'node:process'

/** Shows how much of a work is done. */
export interface ProgressBar {
  /** @param share from 0 to 1 */
  show: (share: number) => void
  end: () => void
}

const width = 40

/** Draws a bar on standard error where that is a terminal, and nothing elsewhere. */
export function createProgressBar(label: string): ProgressBar {
  let drawn = ''
  return {
    show: (share) => {
      const filled = Math.round(share * width)
      const line = `${label} [${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${String(Math.floor(share * 100)).padStart(3)} %`
      if (!stderr.isTTY || line === drawn) return
      drawn = line
      stderr.write(`\r\u001B[K${line}`)
    },
    end: () => {
      if (stderr.isTTY) stderr.write('\n')
    },
  }
}
