import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyCopy } from '../../scripts/operate/backup/verify-copy.ts'
import type { Random } from '../../scripts/measure/fuzz/random.ts'
import { prefixOf } from '../../src/auth/tokens.ts'
import type { MountedDisk } from './disk/mounted-disk.ts'
import { type Prepared, copyPath, databasePath } from './prepare.ts'
import { caller, openContent, readContent } from './service/content.ts'
import { History, Ledger } from './service/ledger.ts'
import { write as writeTo } from './service/load.ts'
import { type Processes, type Service, unlessKilled } from './service/processes.ts'

/** What a scenario works with. */
export interface Stage {
  disk: MountedDisk
  processes: Processes
  random: Random
  prepared: Prepared
}

/** What a scenario promised. */
export interface Promises {
  /** How many changes were acknowledged until an instant. */
  acknowledged: (instant: number) => number
  /** What of it is broken in a folder that has what a loss of power at an instant has left. */
  broken: (folder: string, instant: number) => Promise<string[]>
  /** The same for the real programs, which takes a second. */
  brokenForPrograms: (folder: string, instant: number, processes: Processes) => Promise<string[]>
}

export interface Scenario {
  name: string
  /** What is on the disk in the beginning. */
  begins: 'empty' | 'filled' | 'large'
  run: (stage: Stage) => Promise<Promises>
}

export const scenarios: Scenario[] = [
  { name: 'first start', begins: 'empty', run: firstStart },
  { name: 'two first starts', begins: 'empty', run: twoFirstStarts },
  { name: 'load', begins: 'filled', run: load },
  { name: 'tokens', begins: 'filled', run: tokens },
  { name: 'backup', begins: 'filled', run: backup },
  { name: 'restore', begins: 'filled', run: restore },
  { name: 'restore anew', begins: 'filled', run: restoreAnew },
  { name: 'move', begins: 'filled', run: move },
  { name: 'two servers', begins: 'filled', run: twoServers },
  { name: 'killed first start', begins: 'empty', run: killedFirstStart },
  { name: 'killed restore', begins: 'filled', run: killedRestore },
  { name: 'large', begins: 'large', run: large },
]

/** In a folder that is not there yet. */
const newPath = 'new/folder/plants.db'

async function firstStart({ disk, processes, random }: Stage): Promise<Promises> {
  const history = new History(new Ledger())
  const service = await serveFirst(disk, processes, history)
  await write(disk, service, service.token!, history, random, { clients: 1, changes: 20 })
  await service.stop()
  return kept(newPath, history)
}

async function twoFirstStarts({ disk, processes, random }: Stage): Promise<Promises> {
  const history = new History(new Ledger())
  const services = await Promise.all([serveFirst(disk, processes, history), serveFirst(disk, processes, history)])
  const token = services.find((service) => service.token !== undefined)?.token
  await Promise.all(
    services.map((service) => write(disk, service, token!, history, random, { clients: 2, changes: 20 })),
  )
  for (const service of services) await service.stop()
  return kept(newPath, history)
}

async function serveFirst(disk: MountedDisk, processes: Processes, history: History): Promise<Service> {
  const asked = disk.instant()
  const service = await processes.serve(join(disk.folder, newPath))
  if (service.token !== undefined) {
    history.ledger.ask(`token ${prefixOf(service.token)}`, 'issued', asked).acknowledged = disk.instant()
  }
  return service
}

/** Starts a server on the database that the disk has in the beginning. */
async function serveFilled({ disk, processes, prepared }: Stage) {
  const file = join(disk.folder, databasePath)
  return { file, history: new History(new Ledger(prepared.content)), service: await processes.serve(file) }
}

async function load(stage: Stage): Promise<Promises> {
  const { disk, processes, random, prepared } = stage
  const { file, history, service } = await serveFilled(stage)
  await write(disk, service, prepared.token, history, random, { clients: random.one([1, 8, 32]), changes: 20 })
  // Often it is stopped, and so the log is copied into the database.
  if (random.below(4) === 0) await service.kill()
  else await service.stop()
  const again = await processes.serve(file)
  await write(disk, again, prepared.token, history, random, { clients: 1, changes: 20 })
  await again.stop()
  return kept(databasePath, history)
}

async function tokens(stage: Stage): Promise<Promises> {
  const { disk, processes, random, prepared } = stage
  const { file, history, service } = await serveFilled(stage)
  const writing = write(disk, service, prepared.token, history, random, { clients: 1, changes: 200 })
  const asked = disk.instant()
  const issued = (await processes.run('token', ['issue', caller], file)).trim()
  const key = `token ${prefixOf(issued)}`
  history.ledger.ask(key, 'issued', asked).acknowledged = disk.instant()
  const revoked = history.ledger.ask(key, undefined, disk.instant())
  await processes.run('token', ['revoke', issued], file)
  revoked.acknowledged = disk.instant()
  await writing
  await service.kill()
  return kept(databasePath, history)
}

async function backup(stage: Stage): Promise<Promises> {
  const { disk, processes, random, prepared } = stage
  const { file, history, service } = await serveFilled(stage)
  const writing = write(disk, service, prepared.token, history, random, { clients: 4, changes: 100 })
  const stdout = await processes.run('backup', [join(disk.folder, 'second.db')], file)
  const printed = disk.instant()
  await writing
  await service.stop()
  const promises = kept(databasePath, history)
  return {
    ...promises,
    broken: async (folder, instant) => [
      ...(await promises.broken(folder, instant)),
      ...brokenCopy(join(folder, 'second.db'), instant >= printed, stdout),
    ],
  }
}

/** A copy is whole as soon as it has its name. */
function brokenCopy(file: string, isPrinted: boolean, stdout: string): string[] {
  if (!existsSync(file)) return isPrinted ? ['the copy is not there'] : []
  try {
    const { plants, tokens } = verifyCopy(file, 'the copy')
    const rows = `${String(plants)} plants and ${String(tokens)} tokens`
    return stdout.includes(rows) ? [] : [`the copy has ${rows}`]
  } catch (error) {
    return [(error as Error).message]
  }
}

async function restore(stage: Stage): Promise<Promises> {
  const { disk, processes, random, prepared } = stage
  const { file, history, service } = await serveFilled(stage)
  await write(disk, service, prepared.token, history, random, { clients: 4, changes: 20 })
  if (random.below(2) === 0) await service.kill()
  else await service.stop()
  await restoreCopy(stage, history, file, ['--force'])
  const again = await processes.serve(file)
  await write(disk, again, prepared.token, history, random, { clients: 1, changes: 20 })
  await again.stop()
  return kept(databasePath, history)
}

async function restoreAnew(stage: Stage): Promise<Promises> {
  const { disk, processes, random, prepared } = stage
  const file = join(disk.folder, newPath)
  const history = new History(new Ledger())
  await restoreCopy(stage, history, file)
  const service = await processes.serve(file)
  await write(disk, service, prepared.token, history, random, { clients: 1, changes: 20 })
  await service.stop()
  return kept(newPath, history)
}

async function restoreCopy(
  { disk, processes, prepared }: Stage,
  history: History,
  file: string,
  options: string[] = [],
): Promise<void> {
  const replaced = history.replace(prepared.copied, disk.instant())
  await processes.run('restore', [join(disk.folder, copyPath), ...options], file)
  replaced.acknowledged = disk.instant()
}

async function move({ disk, processes, prepared: { content } }: Stage): Promise<Promises> {
  const source = kept(databasePath, new History(new Ledger(content)))
  const ledger = new Ledger()
  const changes = [...content].map(([key, value]) => ledger.ask(key, value, disk.instant()))
  await runMove(processes, disk.folder)
  for (const change of changes) change.acknowledged = disk.instant()
  const target = kept(newPath, new History(ledger))
  return {
    acknowledged: target.acknowledged,
    broken: async (folder, instant) => [
      ...(await source.broken(folder, instant)),
      ...(await target.broken(folder, instant)),
    ],
    // The move goes on where it was, and verifies all of it.
    brokenForPrograms: (folder, _instant, others) =>
      attempt(folder, async () => {
        await runMove(others, folder)
        return []
      }),
  }
}

function runMove(processes: Processes, folder: string): Promise<string> {
  const [from, to] = [databasePath, newPath].map((path) => `sqlite:${join(folder, path)}`)
  return processes.run('move', ['--from', from!, '--to', to!], join(folder, databasePath))
}

async function twoServers({ disk, processes, random, prepared: { content, token } }: Stage): Promise<Promises> {
  const file = join(disk.folder, databasePath)
  const history = new History(new Ledger(content))
  const services = await Promise.all([processes.serve(file), processes.serve(file)])
  const writing = services.map((service, index) =>
    write(disk, service, token, history, random, { clients: 4, changes: 40 + 40 * index }),
  )
  await writing[0]
  if (random.below(2) === 0) await services[0].kill()
  else await services[0].stop()
  await Promise.all(writing)
  await services[1].stop()
  return kept(databasePath, history)
}

/** The next start finds what a killed one has made and not synced. */
async function killedFirstStart(stage: Stage): Promise<Promises> {
  const { disk, processes, random } = stage
  const file = join(disk.folder, newPath)
  await killMidway(stage, processes.serve(file), 50_000)
  const service = await processes.serve(file)
  const ledger = new Ledger()
  // The killed start may have issued a token that nobody was told.
  for (const [key, value] of readContent(file)) ledger.ask(key, value, 0)
  const asked = disk.instant()
  const token = service.token ?? (await processes.run('token', ['issue', caller], file)).trim()
  ledger.ask(`token ${prefixOf(token)}`, 'issued', asked).acknowledged = disk.instant()
  const history = new History(ledger)
  await write(disk, service, token, history, random, { clients: 1, changes: 20 })
  await service.stop()
  return kept(newPath, history)
}

/** The next start finds the old database or the new one, and goes on with it. */
async function killedRestore(stage: Stage): Promise<Promises> {
  const { disk, processes, random, prepared } = stage
  const { file, history, service } = await serveFilled(stage)
  await write(disk, service, prepared.token, history, random, { clients: 4, changes: 20 })
  await service.kill()
  const asked = disk.instant()
  await killMidway(stage, processes.run('restore', [join(disk.folder, copyPath), '--force'], file), 100_000)
  const again = await processes.serve(file)
  const isOld = history.faults(readContent(file), disk.instant()).length === 0
  const replaced = isOld ? undefined : history.replace(prepared.copied, asked)
  await write(disk, again, prepared.token, history, random, { clients: 1, changes: 1 })
  if (replaced !== undefined) replaced.acknowledged = disk.instant()
  await write(disk, again, prepared.token, history, random, { clients: 1, changes: 20 })
  await again.stop()
  return kept(databasePath, history)
}

/** Kills a program once it has written at most so many bytes, with what the recording says of them. */
async function killMidway({ disk, processes, random }: Stage, running: Promise<unknown>, most: number): Promise<void> {
  const end = disk.instant() + random.below(most)
  let hasEnded = false
  const ending = unlessKilled(running).then(() => {
    hasEnded = true
  })
  // The compiler does not see that it changes.
  while (!(hasEnded as boolean) && disk.instant() < end) await sleep(1)
  await processes.kill()
  await ending
}

/** Above 64 MiB a start does not check the pages. */
async function large(stage: Stage): Promise<Promises> {
  const { disk, random, prepared } = stage
  const { file, history, service } = await serveFilled(stage)
  await write(disk, service, prepared.token, history, random, { clients: 8, changes: 50 })
  await service.stop()
  await restoreCopy(stage, history, file, ['--force'])
  return kept(databasePath, history)
}

function write(
  { instant }: MountedDisk,
  { origin }: Service,
  token: string,
  { ledger }: History,
  random: Random,
  amount: { clients: number; changes: number },
): Promise<void> {
  return writeTo({ origin, token, ledger, instant, random, ...amount })
}

/** The promises of one database. */
function kept(path: string, history: History): Promises {
  return {
    acknowledged: (instant) => history.acknowledged(instant),
    broken: (folder, instant) =>
      attempt(folder, async () => history.faults(await openContent(join(folder, path)), instant)),
    brokenForPrograms: (folder, instant, processes) =>
      attempt(folder, async () => {
        const service = await processes.serve(join(folder, path))
        await service.stop()
        const content = readContent(join(folder, path))
        // An empty database gets a token of its own.
        if (service.token !== undefined) content.delete(`token ${prefixOf(service.token)}`)
        return history.faults(content, instant)
      }),
  }
}

async function attempt(folder: string, check: () => Promise<string[]>): Promise<string[]> {
  try {
    return await check()
  } catch (error) {
    return [(error as Error).message.replaceAll(folder, '')]
  }
}
