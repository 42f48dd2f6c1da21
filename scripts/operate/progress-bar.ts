/** The part of a terminal's stream that a bar uses. */
interface Terminal {
  isTTY: boolean
  write: (text: string) => unknown
}

const width = 30

/** The shortest time between two drawings of the bar. */
const intervalMilliseconds = 100

/** A progress bar on a terminal. Without a terminal it shows nothing. */
export class ProgressBar {
  readonly #stream: Terminal
  readonly #label: string
  #drawnAt = -Infinity

  constructor(stream: Terminal, label: string) {
    this.#stream = stream
    this.#label = label
  }

  show(done: number, total: number): void {
    if (!this.#stream.isTTY || performance.now() - this.#drawnAt < intervalMilliseconds) return
    this.#drawnAt = performance.now()
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const bar = '█'.repeat(Math.round(share * width)).padEnd(width, '░')
    const percent = String(Math.floor(share * 100)).padStart(3)
    const counts = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
    this.#stream.write(`\r\x1b[K${this.#label} ${bar} ${percent} %  ${counts}`)
  }

  /** Removes the bar. */
  end(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[K')
  }
}
