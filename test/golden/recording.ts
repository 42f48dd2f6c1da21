import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requests } from './requests.ts'
import { configured, late, withoutKeys } from './requests/configured.ts'
import { answersOfStore } from './runs/answers-of-store.ts'
import { outputOfCommands } from './runs/commands.ts'
import { outputOfContracts } from './runs/contracts.ts'
import { startDatabases } from './runs/database.ts'

/** The parts of a recording, each of which can be made and compared alone. */
export const parts = ['sqlite', 'postgres', 'commands', 'contracts'] as const
export type Part = (typeof parts)[number]

/** What was received or printed, line by line, by the name of the request or of the command. */
export type Recorded = Record<string, string[]>

const file = join(import.meta.dirname, 'answers.json')

/** Makes a part anew, with real processes. */
export async function record(part: Part): Promise<Recorded> {
  switch (part) {
    case 'sqlite':
    case 'postgres':
      return withDatabases(part, answersOfStore)
    case 'commands':
      return withDatabases('postgres', outputOfCommands)
    case 'contracts':
      return outputOfContracts()
  }
}

async function withDatabases(
  engine: 'sqlite' | 'postgres',
  run: (databases: Awaited<ReturnType<typeof startDatabases>>) => Promise<Recorded>,
): Promise<Recorded> {
  const databases = await startDatabases(engine)
  try {
    return await run(databases)
  } finally {
    await databases.close()
  }
}

/** How a recording is kept: a head of a response once, whatever the number of responses that have it. */
interface Kept {
  heads: Recorded
  /** Of both stores, and of PostgreSQL where it differs. Other lines than those of responses begin with a space. */
  sqlite: Recorded
  postgres: Recorded
  commands: Recorded
  contracts: Recorded
}

const empty: Kept = { heads: {}, sqlite: {}, postgres: {}, commands: {}, contracts: {} }

/** Reads a part as it is recorded. */
export async function recorded(part: Part): Promise<Recorded> {
  return unpacked(await readKept())[part]
}

async function readKept(): Promise<Kept> {
  try {
    // The shape that keep writes.
    return JSON.parse(await readFile(file, 'utf8')) as Kept
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return empty
    throw error
  }
}

function unpacked({ heads, sqlite, postgres, ...others }: Kept): Record<Part, Recorded> {
  const expand = (packed: Recorded): Recorded =>
    Object.fromEntries(
      Object.entries(packed).map(([name, lines]) => [name, lines.flatMap((line) => expandLine(line, heads))]),
    )
  const ofSqlite = expand(sqlite)
  return { sqlite: ofSqlite, postgres: { ...ofSqlite, ...expand(postgres) }, ...others }
}

/** `KEY BODY` stands for a response; its lines are those of its head, an empty one, and the body. */
function expandLine(line: string, heads: Recorded): string[] {
  const head = heads[line.split(' ', 1).join()]
  return head === undefined ? [line.replace(/^ /, '')] : [...head, '', line.slice(line.indexOf(' ') + 1)]
}

/** Writes parts into the recording; the others stay. */
export async function keep(made: Partial<Record<Part, Recorded>>): Promise<void> {
  const { sqlite, postgres, commands, contracts } = { ...unpacked(await readKept()), ...made }
  const heads: Recorded = {}
  const pack = (lines: readonly string[]): string[] => packLines(lines, heads)
  const packAll = (all: Recorded): Recorded =>
    Object.fromEntries(Object.entries(all).map(([name, lines]) => [name, pack(lines)]))
  const differs = ([name, lines]: [string, string[]]) => JSON.stringify(lines) !== JSON.stringify(sqlite[name])
  const kept: Omit<Kept, 'heads'> = {
    sqlite: packAll(sqlite),
    postgres: packAll(Object.fromEntries(Object.entries(postgres).filter(differs))),
    commands,
    contracts,
  }
  const sorted = Object.fromEntries(Object.entries(heads).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  const sections = Object.entries({ heads: sorted, ...kept }).map(
    ([name, members]) => `${JSON.stringify(name)}: {\n${membersOf(members)}\n}`,
  )
  await writeFile(file, `{\n${sections.join(',\n')}\n}\n`)
}

/** One line for each, so that a change can be read in the history. */
function membersOf(members: Recorded): string {
  return Object.entries(members)
    .map(([name, lines]) => `${JSON.stringify(name)}: ${JSON.stringify(lines)}`)
    .join(',\n')
}

/** The reverse of `expandLine`, over all lines of an answer. */
function packLines(lines: readonly string[], heads: Recorded): string[] {
  const packed: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    if (!line.startsWith('HTTP/1.1 ')) {
      packed.push(` ${line}`)
      continue
    }
    const end = lines.indexOf('', at)
    const head = lines.slice(at, end)
    const key = `${line.slice(9, 12)}-${hash('sha256', head.join('\n')).slice(0, 5)}`
    heads[key] = head
    packed.push(`${key} ${lines[end + 1] ?? ''}`)
    at = end + 1
  }
  return packed
}

const sent = new Map([...requests, ...withoutKeys, ...configured, ...late].map(({ name, pieces }) => [name, pieces]))

/** How many differences are shown. Those that are alike count as one. */
const shownDifferences = 15

/** Describes each kind of difference once, with the names of those that have it. @returns '' where nothing differs */
export function describeDifferences(expected: Recorded, actual: Recorded): string {
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
  const alike = Map.groupBy(
    [...names].filter((name) => JSON.stringify(expected[name]) !== JSON.stringify(actual[name])),
    (name) => changedLines(describe(expected[name], actual[name])),
  )
  const all = [...alike.values()].map(([first = '', ...others]) => {
    const named = others.slice(0, 5).join(' | ') + (others.length > 5 ? ' …' : '')
    const also = others.length === 0 ? '' : `\n  and ${String(others.length)} alike: ${named}`
    return `≠ ${first}${also}${shownRequest(first)}\n${describe(expected[first], actual[first])}`
  })
  const count = [...alike.values()].flat().length
  if (count === 0) return ''
  const more = all.length > shownDifferences ? [`… and ${String(all.length - shownDifferences)} other kinds`] : []
  return [
    `${String(count)} of ${String(names.size)} differ from what is recorded:`,
    ...all.slice(0, shownDifferences),
    ...more,
  ].join('\n\n')
}

/** A difference without what is the same around it. */
function changedLines(difference: string): string {
  const lines = difference.split('\n')
  return lines.filter((line) => !line.startsWith('    ')).join('\n')
}

function shownRequest(name: string): string {
  const pieces = sent.get(name)
  if (pieces === undefined) return ''
  const text = pieces
    .map((piece) => (typeof piece === 'string' ? `(${piece})` : JSON.stringify(piece.toString('latin1'))))
    .join(' ')
  return `\n  sent: ${text.length > 500 ? `${text.slice(0, 500)}… (${String(text.length)})` : text}`
}

/** The lines of two texts, those of the first alone with `-` and those of the second alone with `+`. */
function describe(expected: string[] | undefined, actual: string[] | undefined): string {
  if (expected === undefined) return '  is not recorded: node test/golden/record.ts'
  if (actual === undefined) return '  is recorded and does not exist any more: node test/golden/record.ts'
  // The length of the longest common subsequence of what is left of each.
  const common = Array.from({ length: expected.length + 1 }, () => new Uint16Array(actual.length + 1))
  for (let i = expected.length - 1; i >= 0; i--) {
    for (let j = actual.length - 1; j >= 0; j--) {
      const [row, below] = [common[i]!, common[i + 1]!]
      row[j] = expected[i] === actual[j] ? below[j + 1]! + 1 : Math.max(below[j]!, row[j + 1]!)
    }
  }
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < expected.length || j < actual.length) {
    if (i < expected.length && expected[i] === actual[j]) lines.push(`    ${expected[i]!}`)
    else if (j === actual.length || (i < expected.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push(`  - ${expected[i++]!}`)
      continue
    } else {
      lines.push(`  + ${actual[j++]!}`)
      continue
    }
    i++
    j++
  }
  return lines
    .filter((_line, at) => lines.slice(Math.max(0, at - 2), at + 3).some((near) => !near.startsWith('    ')))
    .join('\n')
}
