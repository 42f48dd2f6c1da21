import { stderr } from 'node:process'

/** Shows what is being done and for how long already, on standard error. */
export interface Progress {
  tell: (what: string) => void
  end: () => void
}

/** On a terminal the line is overwritten; elsewhere each line is written once. */
export function createProgress(): Progress {
  const start = performance.now()
  return {
    tell: (what) => {
      const seconds = Math.round((performance.now() - start) / 1_000)
      const line = `${String(seconds).padStart(4)} s  ${what}`
      stderr.write(stderr.isTTY ? `\r\u001B[K${line}` : `${line}\n`)
    },
    end: () => {
      if (stderr.isTTY) stderr.write('\r\u001B[K')
    },
  }
}
