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
  readonly #total: number
  #done: number
  #drawnAt = -Infinity

  /** @param done of `total`, how much was done before */
  constructor(stream: Terminal, label: string, total: number, done = 0) {
    this.#stream = stream
    this.#label = label
    this.#total = total
    this.#done = done
  }

  advance(count: number): void {
    this.#done += count
    if (this.#stream.isTTY && performance.now() - this.#drawnAt >= intervalMilliseconds) this.#draw()
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\x1b[K')
  }

  #draw(): void {
    this.#drawnAt = performance.now()
    const share = this.#total === 0 ? 1 : Math.min(1, this.#done / this.#total)
    const bar = '█'.repeat(Math.round(share * width)).padEnd(width, '░')
    const percent = String(Math.floor(share * 100)).padStart(3)
    this.#stream.write(`\r\x1b[K${this.#label} ${bar} ${percent} %  ${this.#done.toLocaleString('en')} of ${this.#total.toLocaleString('en')}`)
  }
}
