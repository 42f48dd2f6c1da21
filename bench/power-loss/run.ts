import { join } from 'node:path'
import { prefixOf } from '../../src/auth/tokens.ts'
import type { Random } from '../random.ts'
import { type Prepared, openContent, readContent } from './content.ts'
import type { MountedDisk } from './disk/mounted-disk.ts'
import { type Content, History, Ledger } from './ledger.ts'
import { write } from './load.ts'
import type { Processes, Service } from './processes.ts'

/** Looks at what a loss of power at an instant has left in a folder. @returns what is wrong */
type Check = (folder: string, instant: number) => Promise<string[]>

/** What a scenario works with. */
export interface Stage {
  disk: MountedDisk
  processes: Processes
  random: Random
  prepared: Prepared
}

/** A run of a scenario: services and commands that work with one database on a disk, and what was asked of it. */
export class Run implements Stage {
  readonly disk: MountedDisk
  readonly processes: Processes
  readonly random: Random
  readonly prepared: Prepared
  /** The path of the database on the disk, and the whole path while the disk is mounted. */
  readonly path: string
  readonly file: string
  /** Those that run. */
  readonly services: Service[] = []
  history: History
  readonly #histories: History[] = []
  readonly #checks: Check[] = []
  #token: string

  /** @param content what the database has in the beginning */
  constructor({ disk, processes, random, prepared }: Stage, path: string, content?: Content) {
    this.disk = disk
    this.processes = processes
    this.random = random
    this.prepared = prepared
    this.path = path
    this.file = join(disk.folder, path)
    this.#token = prepared.token
    this.history = new History(new Ledger(content))
    this.promise(path, this.history)
  }

  /** Adds a promise: a database with a history. */
  promise(path: string, history: History): void {
    this.#histories.push(history)
    this.#checks.push(async (folder, instant) => history.faults(await openContent(join(folder, path)), instant))
  }

  /** Adds a promise. */
  check(check: Check): void {
    this.#checks.push(check)
  }

  /** Checks with the real programs, which takes a second: a service starts on what is left, and ends. */
  programsCheck: (folder: string, instant: number, processes: Processes) => Promise<string[]> = async (
    folder,
    instant,
    processes,
  ) => {
    const service = await processes.serve(join(folder, this.path))
    await service.stop()
    const content = readContent(join(folder, this.path))
    // An empty database gets a token of its own.
    if (service.token !== undefined) content.delete(`token ${prefixOf(service.token)}`)
    return this.history.faults(content, instant)
  }

  /** How many changes were acknowledged until an instant. */
  acknowledged(instant: number): number {
    return this.#histories.reduce((sum, history) => sum + history.acknowledged(instant), 0)
  }

  /** What of the promises is broken in a folder that has what a loss of power at an instant has left. */
  broken(folder: string, instant: number): Promise<string[]> {
    return attempt(folder, async () => (await Promise.all(this.#checks.map((check) => check(folder, instant)))).flat())
  }

  /** The same for the real programs. */
  brokenForPrograms(folder: string, instant: number, processes: Processes): Promise<string[]> {
    return attempt(folder, () => this.programsCheck(folder, instant, processes))
  }

  /** Starts a service, and notes the token that a first start prints. */
  async serve(): Promise<Service> {
    const asked = this.disk.instant()
    const service = await this.processes.serve(this.file)
    if (service.token !== undefined) this.noteToken(service.token, asked)
    return service
  }

  /** Runs a command on the database. @returns what it prints */
  command(name: string, ...args: string[]): Promise<string> {
    return this.processes.run(name, args, this.file)
  }

  /** Notes a token that was printed just now. The clients write with it from now on. */
  noteToken(token: string, asked: number): void {
    this.history.ledger.ask(`token ${prefixOf(token)}`, 'issued', asked).acknowledged = this.disk.instant()
    this.#token = token
  }

  write({ port }: Service, clients: number, changes: number): Promise<void> {
    const { disk, random, history } = this
    return write({ port, token: this.#token, ledger: history.ledger, instant: disk.instant, random, clients, changes })
  }
}

async function attempt(folder: string, check: () => Promise<string[]>): Promise<string[]> {
  try {
    return await check()
  } catch (error) {
    return [(error as Error).message.replaceAll(folder, '')]
  }
}
