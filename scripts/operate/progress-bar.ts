/** What a bar needs of a terminal's stream. */
interface Terminal {
  isTTY: boolean
  write: (text: string) => unknown
}

const width = 30

/** How often the bar is drawn, at most. */
const intervalMilliseconds = 100

/** A bar on a terminal; where there is no terminal, nothing. */
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

  /** Takes the bar away. */
  end(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[K')
  }
}
