import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describeContent, verifyCopy } from '../../scripts/verify-copy.ts'
import { prefixOf } from '../../src/auth/tokens.ts'
import { caller, copyPath, databasePath } from './database.ts'
import { Ledger } from './ledger.ts'
import type { Run } from './run.ts'

/** A scenario. The disk starts with the prepared database and its copy. */
export interface Scenario {
  name: string
  /** The path of its database. */
  path: string
  act: (run: Run) => Promise<void>
}

/** A path in folders that do not exist yet. */
const newPath = 'new/folder/plants.db'

export const scenarios: Scenario[] = [
  { name: 'first start', path: newPath, act: serveAndWrite },
  { name: 'load', path: databasePath, act: load },
  { name: 'tokens', path: databasePath, act: issueAndRevoke },
  { name: 'backup', path: databasePath, act: backUp },
  { name: 'restore', path: databasePath, act: restoreOver },
  { name: 'restore anew', path: newPath, act: restore },
  { name: 'move', path: databasePath, act: move },
]

async function serveAndWrite(run: Run): Promise<void> {
  const service = await run.serve()
  await run.write(service, 1, 20)
  await service.end()
}

async function load(run: Run): Promise<void> {
  const service = await run.serve()
  await run.write(service, run.stage.random.one([1, 8, 32]), 20)
  // SIGTERM makes the server copy the log into the database.
  await service.end(run.stage.random.below(4) === 0 ? 'SIGKILL' : 'SIGTERM')
  await serveAndWrite(run)
}

async function issueAndRevoke(run: Run): Promise<void> {
  const service = await run.serve()
  const writing = run.write(service, 1, 200)
  const asked = run.now()
  const token = (await run.command('token', 'issue', caller)).trim()
  run.noteToken(token, asked)
  await writing
  const revoked = run.ledger.ask(`token ${prefixOf(token)}`, undefined, run.now())
  await run.command('token', 'revoke', token)
  revoked.acknowledged = run.now()
  await service.end('SIGKILL')
}

/** A copy is complete as soon as it has its name, and its name is durable once the command has ended. */
async function backUp(run: Run): Promise<void> {
  const service = await run.serve()
  const writing = run.write(service, 4, 100)
  const name = 'second.db'
  const printed = await run.command('backup', join(run.stage.disk.folder, name))
  const ended = run.now()
  run.check((folder, instant) => {
    const file = join(folder, name)
    if (!existsSync(file)) return Promise.resolve(instant >= ended ? ['the copy is not there'] : [])
    const rows = describeContent(verifyCopy(file, 'the copy'))
    return Promise.resolve(printed.includes(rows) ? [] : [`the copy has ${rows}`])
  })
  await writing
  await service.end()
}

async function restoreOver(run: Run): Promise<void> {
  const service = await run.serve()
  await run.write(service, 4, 20)
  await service.end(run.stage.random.below(2) === 0 ? 'SIGKILL' : 'SIGTERM')
  await restore(run)
}

async function restore(run: Run): Promise<void> {
  const replaced = run.ledger.replace(run.stage.prepared.copied, run.now())
  await run.command('restore', join(run.stage.disk.folder, copyPath), '--force')
  replaced.acknowledged = run.now()
  await serveAndWrite(run)
}

async function move(run: Run): Promise<void> {
  const ledger = new Ledger()
  const changes = [...run.stage.prepared.content].map(([key, value]) => ledger.ask(key, value, run.now()))
  const target = join(run.stage.disk.folder, newPath)
  await run.command('move/move', '--from', `sqlite:${run.file}`, '--to', `sqlite:${target}`)
  for (const change of changes) change.acknowledged = run.now()
  run.promise(newPath, ledger)
}
