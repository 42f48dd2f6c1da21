import { join } from 'node:path'
import { prefixOf } from '../../src/auth/tokens.ts'
import { type ServerProcess, runScript, startProcess } from '../../test/support/server/start-process.ts'
import { ask } from '../lab/clients.ts'
import type { Random } from '../lab/random.ts'
import { type Prepared, databasePath, openContent, plantKey } from './database.ts'
import type { MountedDisk } from './disk/mounted-disk.ts'
import { Ledger } from './ledger.ts'

/** Looks at what a loss of power at an instant has left in a folder. @returns what is wrong */
type Check = (folder: string, instant: number) => Promise<string[]>

let nextId = 1

/** What a run works with. */
export interface Stage {
  disk: MountedDisk
  random: Random
  prepared: Prepared
  /** Of each program. */
  environment: Record<string, string>
}

/** A run of a scenario: the real service and its commands, one database on a disk, and what was asked of it. */
export class Run {
  readonly stage: Stage
  readonly ledger: Ledger
  /** The whole path of the database while the disk is mounted. */
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

  /** The instant that is now. */
  now(): number {
    return this.stage.disk.instant()
  }

  /** Adds a promise: what a database holds. */
  promise(path: string, ledger: Ledger): void {
    this.#ledgers.push(ledger)
    this.check(async (folder, instant) => ledger.faults(await openContent(join(folder, path)), instant))
  }

  /** Adds a promise. */
  check(check: Check): void {
    this.#checks.push(check)
  }

  /** How many changes were acknowledged. */
  acknowledged(): number {
    return this.#ledgers.reduce((sum, ledger) => sum + ledger.acknowledged(), 0)
  }

  /** What of the promises is broken in a folder that has what a loss of power at an instant has left. */
  async broken(folder: string, instant: number): Promise<string[]> {
    try {
      return (await Promise.all(this.#checks.map((check) => check(folder, instant)))).flat()
    } catch (error) {
      return [(error as Error).message.replaceAll(folder, '')]
    }
  }

  /** Starts a service, and notes the token that a first start prints. */
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

  /** Notes a token that was printed just now. The clients write with it from now on. */
  noteToken(token: string, asked: number): void {
    this.ledger.ask(`token ${prefixOf(token)}`, 'issued', asked).acknowledged = this.now()
    this.#token = token
  }

  /**
   * Lets clients create and delete plants, one request after the other, and notes each change. A client ends when the
   * server is gone.
   *
   * @throws Error when an answer is wrong
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

  /** @returns whether the server still answers */
  async #change(port: number, id: number, name: string | undefined): Promise<boolean> {
    const change = this.ledger.ask(plantKey(id), name, this.now())
    const question =
      name === undefined
        ? { method: 'DELETE', path: `/plants/${String(id)}` }
        : { method: 'POST', path: '/plants', body: JSON.stringify({ id, name }) }
    const { status } = await ask(port, this.#token, question)
    if (status === 0 || status === 503) return false
    if (status >= 400) throw new Error(`a change of plant ${String(id)} was answered ${String(status)}`)
    change.acknowledged = this.now()
    return true
  }
}
