import { Presets, SingleBar } from 'cli-progress'

/** Shows how far a command is. Disposing removes the line. */
export interface Progress extends Disposable {
  show: (done: number, total: number) => void
}

/**
 * Shows a line of progress on standard error while a terminal is attached to it, and nothing otherwise.
 *
 * @param title what the command does, such as `copying`
 * @param unit what it counts, such as `pages`
 */
export function showProgress(title: string, unit: string): Progress {
  if (!process.stderr.isTTY) return { show: () => undefined, [Symbol.dispose]: () => undefined }
  const format = `${title}  {bar}  {value} of {total} ${unit}`
  const bar = new SingleBar({ format, clearOnComplete: true, hideCursor: null }, Presets.shades_grey)
  return {
    show(done, total) {
      if (bar.isActive) bar.setTotal(total)
      else bar.start(total, done)
      bar.update(done)
    },
    [Symbol.dispose]() {
      bar.stop()
    },
  }
}
