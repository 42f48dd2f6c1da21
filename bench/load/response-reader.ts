/** Finds the end of each response. It parses no more of HTTP/1.1 than that needs. */
export class ResponseReader {
  readonly #answered: (status: string, bodyBytes: number) => void
  #head = ''
  #status = ''
  #bodyBytes = 0
  /** The missing bytes of the body; undefined while the head is read. */
  #left: number | undefined
  #tail: string | undefined

  constructor(answered: (status: string, bodyBytes: number) => void) {
    this.#answered = answered
  }

  read(buffer: Buffer, length: number): void {
    let bodyStart = 0
    if (this.#left === undefined && this.#tail === undefined) {
      const end = buffer.indexOf('\r\n\r\n', 0, 'latin1')
      // The buffer is reused, so an end beyond `length` belongs to an earlier response.
      if (end === -1 || end + 4 > length) {
        this.#head += buffer.toString('latin1', 0, length)
        const whole = this.#head.indexOf('\r\n\r\n')
        if (whole === -1) return
        bodyStart = length - (this.#head.length - (whole + 4))
      } else {
        bodyStart = end + 4
        this.#head += buffer.toString('latin1', 0, bodyStart)
      }
      this.#readHead()
    }
    const bytes = length - bodyStart
    this.#bodyBytes += bytes
    if (this.#tail !== undefined) {
      this.#tail = (this.#tail + buffer.toString('latin1', Math.max(bodyStart, length - 7), length)).slice(-7)
      if (this.#tail.endsWith('\r\n0\r\n\r\n')) this.#finish()
      return
    }
    this.#left = (this.#left ?? 0) - bytes
    if (this.#left <= 0) this.#finish()
  }

  #readHead(): void {
    this.#status = this.#head.slice(9, 12)
    this.#bodyBytes = 0
    const contentLength = /content-length: *([0-9]+)/i.exec(this.#head)?.[1]
    if (contentLength !== undefined) this.#left = Number(contentLength)
    else if (/transfer-encoding: *chunked/i.test(this.#head)) this.#tail = ''
    else this.#left = 0
    this.#head = ''
  }

  #finish(): void {
    this.#left = undefined
    this.#tail = undefined
    this.#answered(this.#status, this.#bodyBytes)
  }
}
