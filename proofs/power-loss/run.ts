import { join } from 'node:path'
import { prefixOf } from '../../src/auth/tokens.ts'
import { type ServerProcess, runScript, startProcess } from '../../test/support/server/start-process.ts'
import { ask, create, remove } from '../../test/support/client/ask.ts'
import type { Random } from '../../test/support/random.ts'
import { type Prepared, databasePath, openContent, plantKey } from './database.ts'
import type { MountedDisk } from './disk/mounted-disk.ts'
import { Ledger } from './ledger.ts'

/** Checks a folder as a power loss would leave it. @returns the faults */
type Check = (folder: string, instant: number) => Promise<string[]>

let nextId = 1

/** The environment of a run. */
export interface Stage {
  disk: MountedDisk
  random: Random
  prepared: Prepared
  /** Variables for each program. */
  environment: Record<string, string>
}

/** A run of a scenario: the service and its commands, a database on a recorded disk, and the expected content. */
export class Run {
  readonly stage: Stage
  readonly ledger: Ledger
  /** The absolute path of the database while the disk is mounted. */
  readonly file: string
  readonly #environment: Record<string, string>
  readonly #services: ServerProcess[] = []
  readonly #ledgers: Ledger[] = []
  readonly #checks: Check[] = []
  #token: string

  /** @param path of the database on the disk */
  constructor(stage: Stage, path: string) {
    const { disk, prepared } = stage
    this.stage = stage
    this.file = join(disk.folder, path)
    this.#environment = { ...stage.environment, DATABASE_URL: `sqlite:${this.file}` }
    this.ledger = new Ledger(path === databasePath ? prepared.content : undefined)
    this.#token = prepared.token
    this.promise(path, this.ledger)
  }

  /** The current instant. */
  now(): number {
    return this.stage.disk.instant()
  }

  /** Adds a check that a database has the content of a ledger. */
  promise(path: string, ledger: Ledger): void {
    this.#ledgers.push(ledger)
    this.check(async (folder, instant) => ledger.faults(await openContent(join(folder, path)), instant))
  }

  /** Adds a check. */
  check(check: Check): void {
    this.#checks.push(check)
  }

  /** How many changes were acknowledged. */
  acknowledged(): number {
    return this.#ledgers.reduce((sum, ledger) => sum + ledger.acknowledged(), 0)
  }

  /** Runs all checks on a folder as a power loss at an instant would leave it. @returns the faults */
  async broken(folder: string, instant: number): Promise<string[]> {
    try {
      return (await Promise.all(this.#checks.map((check) => check(folder, instant)))).flat()
    } catch (error) {
      return [(error as Error).message.replaceAll(folder, '')]
    }
  }

  /** Starts the service and notes the token that a first start prints. */
  async serve(): Promise<ServerProcess> {
    const asked = this.now()
    const service = await startProcess(this.#environment)
    this.#services.push(service)
    const token = /^Token +(plst_\S+)$/m.exec(service.stdout())?.[1]
    if (token !== undefined) this.noteToken(token, asked)
    return service
  }

  /**
   * Runs a command of scripts/ on the database.
   *
   * @returns what it prints
   * @throws Error with what it printed when it fails
   */
  async command(name: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runScript(`scripts/${name}.ts`, args, this.#environment)
    if (code !== 0) throw new Error(`${name} ended with ${String(code)}: ${stderr.trim()}`)
    return stdout
  }

  /** Kills all services. */
  async kill(): Promise<void> {
    await Promise.all(this.#services.map(({ end }) => end('SIGKILL')))
  }

  /** Notes a token that was just printed. Clients use it from now on. */
  noteToken(token: string, asked: number): void {
    this.ledger.ask(`token ${prefixOf(token)}`, 'issued', asked).acknowledged = this.now()
    this.#token = token
  }

  /**
   * Runs clients that create and delete plants one after the other, and notes each change. A client ends when the
   * server is gone.
   *
   * @throws Error when a response is wrong
   */
  async write({ port }: ServerProcess, clients: number, changes: number): Promise<void> {
    await Promise.all(
      Array.from({ length: clients }, async () => {
        const created: number[] = []
        for (let count = 0; count < changes; count++) {
          const removed = this.stage.random.below(10) < 3 ? created.shift() : undefined
          const id = removed ?? nextId++
          const name = removed === undefined ? `${String(id)}.${'x'.repeat(this.stage.random.below(200))}` : undefined
          if (!(await this.#change(port, id, name))) return
          if (removed === undefined) created.push(id)
        }
      }),
    )
  }

  /** @returns whether the server still responds */
  async #change(port: number, id: number, name: string | undefined): Promise<boolean> {
    const change = this.ledger.ask(plantKey(id), name, this.now())
    const { status } = await ask(port, this.#token, name === undefined ? remove(id) : create(id, name))
    if (status === 0 || status === 503) return false
    if (status >= 400) throw new Error(`a change of plant ${String(id)} was answered ${String(status)}`)
    change.acknowledged = this.now()
    return true
  }
}
