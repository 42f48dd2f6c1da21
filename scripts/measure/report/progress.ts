import { stderr } from 'node:process'

/** Shows on standard error what is being done, and the seconds since the start. */
export interface Progress {
  show: (what: string) => void
  end: () => void
}

/** On a terminal the line is overwritten; elsewhere each line is written once. */
export function createProgress(): Progress {
  const start = performance.now()
  return {
    show: (what) => {
      const seconds = Math.round((performance.now() - start) / 1_000)
      const line = `${String(seconds).padStart(4)} s  ${what}`
      stderr.write(stderr.isTTY ? `\r\u001B[K${line}` : `${line}\n`)
    },
    end: () => {
      if (stderr.isTTY) stderr.write('\r\u001B[K')
    },
  }
}
