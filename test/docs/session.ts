import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { expect } from 'vitest'
import { projectFolder } from '../support/server/start-process.ts'

/** What differs from run to run: tokens and their prefixes, times, origins of servers, SHA-256. */
const kinds = [
  String.raw`plst_[\w-]{43}`,
  String.raw`plst_[\w-]{6}`,
  String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`,
  String.raw`http://127\.0\.0\.1:\d+`,
  String.raw`\b[0-9a-f]{64}\b`,
]
const varying = new RegExp(kinds.join('|'), 'g')

/** What a list of tokens says of their use: a server writes the time a second later. */
const use = String.raw`never used|last used [\d-]+T[\d:]+Z`

const prefixLength = 'plst_'.length + 6

/** What a page has for a value that varies, and what this run has for it. */
export class Values {
  readonly #actual = new Map<string, string>()

  readonly #replaced = new Map<string, string>()

  /** Puts this run's value in the place of a text that the page leaves to the reader, such as `USER@HOST`. */
  replace(documented: string, actual: string): void {
    this.#replaced.set(documented, actual)
  }

  /** Puts this run's values into a command of a page. */
  translate(command: string): string {
    const translated = command.replaceAll(varying, (value) => this.#actual.get(value) ?? value)
    return [...this.#replaced].reduce((text, [documented, actual]) => text.replaceAll(documented, actual), translated)
  }

  /**
   * Compares what a command printed with the page, and learns the values that the page has not shown before. `…` in the
   * page is whatever was printed.
   */
  expectSame(printed: string, documented: string, command: string): void {
    const found: string[] = []
    const pattern = documented
      .split(new RegExp(`(${use}|${varying.source}|…)`))
      .map((part, index) => {
        if (index % 2 === 0) return escapeRegExp(part)
        if (part === '…') return '[^]*?'
        if (new RegExp(use).test(part)) return `(?:${use})`
        const actual = this.#actual.get(part)
        if (actual !== undefined) return escapeRegExp(actual)
        const group = found.indexOf(part) + 1
        if (group > 0) return `\\${String(group)}`
        found.push(part)
        return `(${kinds.find((kind) => new RegExp(`^${kind}$`).test(part)) ?? ''})`
      })
      .join('')
    const match = new RegExp(`^${pattern}$`).exec(printed)
    if (match === null) expect(`$ ${command}\n${printed}`).toBe(`$ ${command}\n${documented}`)
    for (const [index, value] of found.entries()) this.#learn(value, match?.[index + 1] ?? '')
  }

  #learn(documented: string, actual: string): void {
    this.#actual.set(documented, actual)
    if (documented.length > prefixLength && documented.startsWith('plst_')) {
      this.#actual.set(documented.slice(0, prefixLength), actual.slice(0, prefixLength))
    }
  }
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** npm without its own start, which takes longer than most of the commands. */
const commands = `npm() {
  local words=() word
  for word; do [[ $word == run || $word == -s || $word == --silent ]] || words+=("$word"); done
  node --run "\${words[@]}"
}
# On a terminal curl shows no meter for what it prints there.
curl() { command curl --no-progress-meter "$@"; }
`

/** Runs the blocks of a page that are commands with their output, one after the other in one shell. */
export class Session {
  readonly values = new Values()
  readonly #inProcess
  readonly #shell
  #output = ''

  /**
   * @param folder where the commands are pasted
   * @param inProcess prints what a command would print, without a process of its own; undefined for other commands
   */
  constructor(folder: string, inProcess: (command: string) => Promise<string> | undefined = () => undefined) {
    this.#inProcess = inProcess
    const bin = join(projectFolder, 'node_modules/.bin')
    // In a process group of its own, so that the servers that it starts end with it.
    this.#shell = spawn('bash', ['--norc'], {
      cwd: folder,
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        ...process.env,
        // The pages begin with the default, a file in the folder.
        DATABASE_URL: undefined,
        PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
        PORT: '0',
        LOG_LEVEL: 'silent',
        SHUTDOWN_DELAY: '0',
      },
    })
    this.#shell.stdout.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
    this.#shell.stdin.write(`exec 2>&1\n${commands}`)
  }

  /** Runs each command of a block, and compares what it prints with the lines below it. */
  async run(block: string): Promise<void> {
    const steps = block.split(/^\$ /m)
    expect(steps[0], 'a block that is run begins with "$ "').toBe('')
    for (const step of steps.slice(1)) {
      const [, command = '', answer = ''] = /^((?:.*\\\n)*.*)\n([^]*)$/.exec(step) ?? []
      const documented = answer.trimEnd()
      const printed = (await this.#inProcess(command)) ?? (await this.#paste(command, documented))
      this.values.expectSame(printed, documented, command)
    }
  }

  /** Sets a variable of the shell. */
  set(name: string, value: string): void {
    this.#shell.stdin.write(`export ${name}='${value}'\n`)
  }

  /** Ends the shell and what it started. */
  async end(): Promise<void> {
    const closed = once(this.#shell, 'close')
    process.kill(-this.#shell.pid!, 'SIGTERM')
    await closed
  }

  async #paste(command: string, documented: string): Promise<string> {
    const mark = '\u001e'
    this.#output = ''
    const pasted = this.values.translate(command).replace(/\bPORT=\d+/, 'PORT=0')
    // A server goes on, so what it prints may come after the shell has read the next line.
    const isServer = documented.startsWith('Plant Store ')
    const lines = isServer ? documented.split('\n').length : 0
    this.#shell.stdin.write(`${isServer ? `${pasted.replace(/ &$/, '')} &` : pasted}\nprintf '\\036'\n`)
    const isDone = () => this.#output.includes(mark) && this.#output.split('\n').length > lines
    // A command that does not end, or a server that ends, has not printed what the page shows.
    await expect
      .poll(isDone, { interval: 5, timeout: 45_000 })
      .toBe(true)
      .catch(() => undefined)
    return this.#output.replace(mark, '').trimEnd()
  }
}
