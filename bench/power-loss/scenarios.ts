import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyCopy } from '../../scripts/verify-copy.ts'
import { prefixOf } from '../../src/auth/tokens.ts'
import { caller, copyPath, databasePath, readContent } from './content.ts'
import { History, Ledger } from './ledger.ts'
import type { Processes, Service } from './processes.ts'
import { Run, type Stage } from './run.ts'

type Step = (run: Run) => Promise<unknown>

export interface Scenario {
  name: string
  /** What is on the disk in the beginning. */
  begins: 'empty' | 'filled' | 'large'
  /** Whether the database is in a folder that is not there yet. */
  isNew?: boolean
  steps: Step[]
}

const newPath = 'new/folder/plants.db'

const again = [start, write(1, 20), stop]

export const scenarios: Scenario[] = [
  { name: 'first start', begins: 'empty', isNew: true, steps: again },
  { name: 'two first starts', begins: 'empty', isNew: true, steps: [startTwo, write(2, 20), stop] },
  // Often it is stopped, and so the log is copied into the database.
  { name: 'load', begins: 'filled', steps: [start, writeAsSome, stopOrKill(4), ...again] },
  { name: 'tokens', begins: 'filled', steps: [start, during(write(1, 200), issueAndRevoke), kill] },
  { name: 'backup', begins: 'filled', steps: [start, during(write(4, 100), backUp), stop] },
  { name: 'restore', begins: 'filled', steps: [start, write(4, 20), stopOrKill(2), restore, ...again] },
  { name: 'restore anew', begins: 'filled', isNew: true, steps: [restore, ...again] },
  { name: 'move', begins: 'filled', steps: [move] },
  { name: 'two servers', begins: 'filled', steps: [startTwo, endOneOfTwo, stop] },
  { name: 'killed first start', begins: 'empty', isNew: true, steps: [killStart, startUnknown, write(1, 20), stop] },
  { name: 'killed restore', begins: 'filled', steps: [start, write(4, 20), kill, killRestore, write(1, 20), stop] },
  // Above 64 MiB a start does not check the pages.
  { name: 'large', begins: 'large', steps: [start, write(8, 50), stop, restore] },
]

/** Runs a scenario to its end. @returns what it has promised */
export async function runScenario({ steps, begins, isNew = false }: Scenario, stage: Stage): Promise<Run> {
  const hasContent = begins !== 'empty' && !isNew
  const run = new Run(stage, isNew ? newPath : databasePath, hasContent ? stage.prepared.content : undefined)
  for (const step of steps) await step(run)
  return run
}

async function start(run: Run): Promise<void> {
  run.services.push(await run.serve())
}

async function startTwo(run: Run): Promise<void> {
  run.services.push(...(await Promise.all([run.serve(), run.serve()])))
}

function write(clients: number, changes: number): Step {
  return (run) => Promise.all(run.services.map((service) => run.write(service, clients, changes)))
}

function writeAsSome(run: Run): Promise<unknown> {
  return write(run.random.one([1, 8, 32]), 20)(run)
}

function during(load: Step, step: Step): Step {
  return (run) => Promise.all([load(run), step(run)])
}

async function stop(run: Run): Promise<void> {
  for (const service of run.services.splice(0)) await service.stop()
}

async function kill(run: Run): Promise<void> {
  for (const service of run.services.splice(0)) await service.kill()
}

/** Kills once in so many times. */
function stopOrKill(times: number): Step {
  return (run) => (run.random.below(times) === 0 ? kill : stop)(run)
}

async function endOneOfTwo(run: Run): Promise<void> {
  // `startTwo` has started both.
  const [first, second] = run.services.splice(0) as [Service, Service]
  const writing = run.write(second, 4, 80)
  await run.write(first, 4, 40)
  await (run.random.below(2) === 0 ? first.kill() : first.stop())
  await writing
  run.services.push(second)
}

async function issueAndRevoke(run: Run): Promise<void> {
  const token = await issue(run)
  const revoked = run.history.ledger.ask(`token ${prefixOf(token)}`, undefined, run.disk.instant())
  await run.command('token', 'revoke', token)
  revoked.acknowledged = run.disk.instant()
}

async function issue(run: Run): Promise<string> {
  const asked = run.disk.instant()
  const token = (await run.command('token', 'issue', caller)).trim()
  run.noteToken(token, asked)
  return token
}

async function backUp(run: Run): Promise<void> {
  const name = 'second.db'
  const stdout = await run.command('backup', join(run.disk.folder, name))
  const printed = run.disk.instant()
  run.check((folder, instant) => Promise.resolve(brokenCopy(join(folder, name), instant >= printed, stdout)))
}

/** A copy is whole as soon as it has its name. */
function brokenCopy(file: string, isPrinted: boolean, stdout: string): string[] {
  if (!existsSync(file)) return isPrinted ? ['the copy is not there'] : []
  const { plants, tokens } = verifyCopy(file, 'the copy')
  const rows = `${String(plants)} plants and ${String(tokens)} tokens`
  return stdout.includes(rows) ? [] : [`the copy has ${rows}`]
}

function runRestore(run: Run): Promise<string> {
  return run.command('restore', join(run.disk.folder, copyPath), '--force')
}

async function restore(run: Run): Promise<void> {
  const replaced = run.history.replace(run.prepared.copied, run.disk.instant())
  await runRestore(run)
  replaced.acknowledged = run.disk.instant()
}

async function move(run: Run): Promise<void> {
  const ledger = new Ledger()
  const changes = [...run.prepared.content].map(([key, value]) => ledger.ask(key, value, run.disk.instant()))
  await runMove(run.processes, run.disk.folder)
  for (const change of changes) change.acknowledged = run.disk.instant()
  run.promise(newPath, new History(ledger))
  // The move goes on where it was, and verifies all of it.
  run.programsCheck = async (folder, _instant, processes) => {
    await runMove(processes, folder)
    return []
  }
}

function runMove(processes: Processes, folder: string): Promise<string> {
  const [from, to] = [databasePath, newPath].map((path) => `sqlite:${join(folder, path)}`)
  return processes.run('move', ['--from', from!, '--to', to!], join(folder, databasePath))
}

function killStart(run: Run): Promise<void> {
  return killMidway(run, run.serve(), 50_000)
}

/** Starts on what a killed start has made and not synced, such as a token that nobody was told. */
async function startUnknown(run: Run): Promise<void> {
  const asked = run.disk.instant()
  const service = await run.processes.serve(run.file)
  for (const [key, value] of readContent(run.file)) run.history.ledger.ask(key, value, 0)
  if (service.token === undefined) await issue(run)
  else run.noteToken(service.token, asked)
  run.services.push(service)
}

/** Kills a restore, and starts on the old database or the new one. */
async function killRestore(run: Run): Promise<void> {
  const asked = run.disk.instant()
  await killMidway(run, runRestore(run), 100_000)
  await start(run)
  const isOld = run.history.faults(readContent(run.file), run.disk.instant()).length === 0
  const replaced = isOld ? undefined : run.history.replace(run.prepared.copied, asked)
  await write(1, 1)(run)
  if (replaced !== undefined) replaced.acknowledged = run.disk.instant()
}

/** Kills a program once it has written at most so many bytes, with what the recording says of them. */
async function killMidway({ disk, processes, random }: Run, running: Promise<unknown>, most: number): Promise<void> {
  const end = disk.instant() + random.below(most)
  const ended = new AbortController()
  const ending = running.finally(() => {
    ended.abort()
  })
  ending.catch(() => undefined)
  while (!ended.signal.aborted && disk.instant() < end) await sleep(1)
  // It must not fail by itself.
  if (ended.signal.aborted) await ending
  await processes.kill()
  await ending.catch(() => undefined)
}
