import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type IntegerSpelling, integerSpellings } from './spellings.ts'
import { own, peers } from '../compare/contenders.ts'
import { readArguments } from '../../scripts/command.ts'
import { installPeers } from '../install-peers.ts'
import { type Outcome, checkSpellings } from './check-spellings.ts'

const usage =
  'Usage: npm run bench -- integers   sends spellings of integers to the service and its peers, and prints docs/bench/integers.md'

const titles = {
  path: 'In the path: `DELETE /plants/{id}`',
  query: 'In the query: `GET /plants?limit=`',
  body: 'In the body: `POST /plants` with `"id":`',
} as const

/** The outcomes of all spellings on one server. */
interface Column {
  server: string
  outcomes: Outcome[]
}

export async function run(args: string[]): Promise<void> {
  readArguments(usage, { args, options: {} })
  installPeers()
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-integers-'))
  try {
    const columns: Column[] = []
    for (const contender of [own, ...peers]) {
      console.error(contender.name)
      columns.push({ server: contender.name, outcomes: await checkSpellings(contender, folder, integerSpellings) })
    }
    process.stdout.write(pageOf(columns))
  } finally {
    await rm(folder, { recursive: true })
  }
}

function pageOf(columns: Column[]): string {
  const places = Object.entries(titles).map(([place, title]) => {
    const shown = [...integerSpellings.entries()].filter(([, spelling]) => spelling.place === place)
    const rows = shown.map(([index, spelling]) => [
      code(spelling.spelling),
      textOf(spelling),
      ...columns.map(({ outcomes }) => cell(outcomes[index])),
    ])
    return `## ${title}\n\n${table(['sent', 'the contract says', ...columns.map(({ server }) => server)], rows)}`
  })
  const summary = columns.map(({ server, outcomes }) => [
    server,
    `${String(count(outcomes, 'isRight'))} of ${String(outcomes.length)}`,
    String(count(outcomes, 'isWrongPlant')),
    String(count(outcomes, 'isTaken')),
  ])
  const intro = `# Who reads an integer as the contract says

Printed by \`npm run -s bench -- integers\`. Every server is sent the same ${String(integerSpellings.length)} spellings.
Then its database is read. ✓ is what the contract says: the plant with exactly this id, or 400. The peers run with
their defaults, and a JavaScript number does not hold an int64.`
  const head = [
    'server',
    'as the contract says',
    'another plant than the one that was named',
    'a refused form taken for a number',
  ]
  return `${[intro, table(head, summary), ...places].join('\n\n')}\n`
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function count(outcomes: Outcome[], which: 'isRight' | 'isWrongPlant' | 'isTaken'): number {
  return outcomes.filter((outcome) => outcome[which]).length
}

function textOf({ place, expected }: IntegerSpelling): string {
  if (expected === 'refused') return '400'
  return place === 'query' ? `at most ${String(expected)}` : String(expected)
}

function cell(outcome: Outcome | undefined): string {
  return outcome?.isRight === true ? '✓' : (outcome?.text ?? '')
}

function code(text: string): string {
  return text === '' ? '(empty)' : `\`${text}\``
}
