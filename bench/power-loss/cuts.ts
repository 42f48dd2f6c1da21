import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, createRandom } from '../../scripts/measure/fuzz/random.ts'
import { prefixOf } from '../../src/auth/tokens.ts'
import type { MountedDisk } from './disk/mounted-disk.ts'
import { type Loss, rebuild, writeFiles } from './disk/rebuild.ts'
import { losses } from './losses.ts'
import { type Prepared, copyPath, databasePath } from './prepare.ts'
import { runOnDisk } from './run-on-disk.ts'
import { caller, plantKey } from './service/content.ts'
import { type Content, History, Ledger } from './service/ledger.ts'
import { send, write } from './service/load.ts'
import { type Processes, type Service, unlessKilled } from './service/processes.ts'

/** A cut of the power. */
export interface Cut {
  /** What ran. */
  action: string
  loss: Loss
  /** How many changes were acknowledged since the cut before. */
  acknowledged: number
  /** What the service, started on what was left, did not keep. */
  faults: string[]
}

export interface CutOptions {
  /** An empty folder. */
  folder: string
  rounds: number
  seed: number
  prepared: Prepared
  /** For the programs, as a control. */
  nodeOptions?: string[]
  /** Called after each round. */
  onRound: () => void
}

/** What is on the disk after a cut, and what should be. */
interface Left {
  content: string
  history: History
  instant: number
}

/**
 * Cuts the power of one disk again and again while the service and the commands write to it. After each cut the service
 * starts on what is left, and is asked for all that was acknowledged.
 */
export async function cutPower(options: CutOptions): Promise<Cut[]> {
  const { folder, rounds, seed, prepared, nodeOptions = [], onRound } = options
  const random = createRandom(seed)
  const tokens = new Map([[prefixOf(prepared.token), prepared.token]])
  const beginning: Left = { content: prepared.folder, history: new History(new Ledger(prepared.content)), instant: 0 }
  const cuts: Cut[] = []
  let left = beginning
  for (let round = 0; round <= rounds; round++) {
    const place = join(folder, String(round))
    mkdirSync(place)
    const { result, recording } = await runOnDisk(
      { folder: place, content: left.content, nodeOptions },
      (disk, processes) => liveOn(left, { disk, processes, random, prepared, tokens }),
    )
    cuts.at(-1)?.faults.push(...result.faults)
    const { action, history, instant } = result
    if (history === undefined) {
      left = beginning
    } else {
      const loss = random.one(losses)
      cuts.push({ action, loss, acknowledged: history.acknowledged(instant), faults: [] })
      left = { content: join(place, 'left'), history, instant }
      for (const { files } of rebuild(recording, [{ instant, loss }], random)) writeFiles(files, left.content)
    }
    rmSync(join(folder, String(round - 1)), { recursive: true, force: true })
    onRound()
  }
  // Nothing has looked at what the last cut left.
  return cuts.slice(0, -1)
}

interface Surroundings {
  disk: MountedDisk
  processes: Processes
  random: Random
  prepared: Prepared
  /** All tokens that may be valid, by their prefix. */
  tokens: Map<string, string>
}

/** Checks what is left, and writes to it until the power fails. @returns no history where the service does not start */
async function liveOn(
  left: Left,
  surroundings: Surroundings,
): Promise<{ faults: string[]; action: string; history: History | undefined; instant: number }> {
  const { disk, processes, random, prepared, tokens } = surroundings
  const file = join(disk.folder, databasePath)
  let service: Service
  try {
    service = await processes.serve(file)
  } catch (error) {
    return { faults: [(error as Error).message], action: '', history: undefined, instant: 0 }
  }
  const found = await contentOf(service, prepared.token, tokens)
  const faults = left.history.faults(found, left.instant)
  const history = new History(new Ledger(found))
  const [action, act] = random.one(Object.entries(actions))
  const acting = act({ ...surroundings, file, service, history })
  await sleep(100 + random.below(900))
  const instant = disk.instant()
  await processes.end()
  await acting
  return { faults, action, history, instant }
}

/** Asks a service what it has of the caller. */
async function contentOf({ origin }: Service, token: string, tokens: Map<string, string>): Promise<Content> {
  const list = (text: string, query = '') =>
    send(`${origin}/plants${query}`, { headers: { authorization: `Bearer ${text}` } })
  const plants = await list(token)
  if (plants?.status !== 200) throw new Error(`the list of plants: ${plants?.text ?? 'no answer'}`)
  // The contract's answer.
  const names = (JSON.parse(plants.text) as { name: string }[]).map(({ name }) => name)
  const content: Content = new Map(names.map((name) => [plantKey(Number.parseInt(name)), name]))
  for (const [prefix, text] of tokens) {
    if ((await list(text, '?limit=0'))?.status === 200) content.set(`token ${prefix}`, 'issued')
  }
  return content
}

type Surrounded = Surroundings & { file: string; service: Service; history: History }

function load({ disk, service, history, random, prepared }: Surrounded, clients: number): Promise<void> {
  const { origin } = service
  const { ledger } = history
  return write({ origin, token: prepared.token, ledger, instant: disk.instant, clients, changes: Infinity, random })
}

/** What runs until the power fails. Each ends by itself once the programs are gone. */
const actions: Record<string, (surrounded: Surrounded) => Promise<unknown>> = {
  load: (surrounded) => load(surrounded, surrounded.random.one([1, 8, 32])),

  'clean stop': async (surrounded) => {
    const { service, processes, file, random } = surrounded
    const loading = load(surrounded, 8)
    await sleep(random.below(300))
    await service.stop()
    await loading
    const again = await unlessKilled(processes.serve(file))
    if (again !== undefined) await load({ ...surrounded, service: again }, 1)
  },

  tokens: async (surrounded) => {
    const { disk, processes, file, history, tokens } = surrounded
    const loading = load(surrounded, 4)
    const asked = disk.instant()
    const text = (await unlessKilled(processes.run('token', ['issue', caller], file)))?.trim()
    if (text !== undefined) {
      const key = `token ${prefixOf(text)}`
      tokens.set(prefixOf(text), text)
      history.ledger.ask(key, 'issued', asked).acknowledged = disk.instant()
      const revoked = history.ledger.ask(key, undefined, disk.instant())
      const printed = await unlessKilled(processes.run('token', ['revoke', text], file))
      if (printed !== undefined) revoked.acknowledged = disk.instant()
    }
    await loading
  },

  backup: (surrounded) => {
    const { disk, processes, file, random } = surrounded
    const copy = join(disk.folder, `copy-${String(random.below(2 ** 31))}.db`)
    return Promise.all([load(surrounded, 4), unlessKilled(processes.run('backup', [copy], file))])
  },

  restore: async (surrounded) => {
    const { disk, service, processes, file, history, prepared } = surrounded
    await Promise.all([load(surrounded, 4), sleep(50).then(service.kill)])
    const replaced = history.replace(prepared.copied, disk.instant())
    const printed = await unlessKilled(processes.run('restore', [join(disk.folder, copyPath), '--force'], file))
    if (printed !== undefined) replaced.acknowledged = disk.instant()
    const again = await unlessKilled(processes.serve(file))
    if (again !== undefined) await load({ ...surrounded, service: again }, 1)
  },

  'two servers': async (surrounded) => {
    const loading = load(surrounded, 4)
    const second = await unlessKilled(surrounded.processes.serve(surrounded.file))
    if (second !== undefined) await load({ ...surrounded, service: second }, 4)
    await loading
  },
}
