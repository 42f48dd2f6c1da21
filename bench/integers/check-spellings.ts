import Database from 'better-sqlite3'
import type { IntegerSpelling } from './spellings.ts'
import type { Contender } from '../compare/contenders.ts'
import { type RunningContender, startContender } from '../compare/running-contender.ts'

/** The outcome of one spelling on a server. */
export interface Outcome {
  /** As the contract says. */
  isRight: boolean
  /** A valid integer was read as another one. */
  isWrongPlant: boolean
  /** A form that the contract refuses was taken for a number. */
  isTaken: boolean
  /** The content of the table's cell. */
  text: string
}

const exact = 2n ** 53n

/** Ids that a rounded or wrapped id could hit, besides those of the spellings. */
const decoys = [-exact, -exact - 2n, exact - 1n, 5n, 36n]

/**
 * Sends each spelling to a server: deletes a plant, lists with a limit, or creates a plant. Then looks at its database.
 *
 * @returns an outcome for each spelling, in their order
 */
export async function checkSpellings(
  contender: Contender,
  folder: string,
  spellings: readonly IntegerSpelling[],
): Promise<Outcome[]> {
  const named = spellings.map(({ expected }) => expected).filter((expected) => expected !== 'refused')
  const ids = [...new Set([...decoys, ...named])]
  const running = await startContender(contender, folder, () => undefined)
  const plants = new PlantTable(running.database.file)
  try {
    const outcomes: Outcome[] = []
    for (const spelling of spellings) {
      const isCreate = spelling.place === 'body'
      plants.replace(isCreate ? [] : ids)
      const answer = await ask(running, spelling)
      const left = plants.ids()
      const touched = isCreate ? left : ids.filter((id) => !left.includes(id))
      outcomes.push(outcomeOf(spelling, answer, touched, ids.length))
    }
    return outcomes
  } finally {
    plants.close()
    await running.server.stop()
  }
}

/** The plants of the caller `writer` in a database file. */
class PlantTable {
  readonly #database: Database.Database

  constructor(file: string) {
    this.#database = new Database(file)
  }

  /** Replaces all plants by plants with these ids. */
  replace(ids: readonly bigint[]): void {
    const add = this.#database.prepare<[bigint]>(
      "INSERT INTO plants (caller, id, name) VALUES ('writer', ?, 'Aloe vera')",
    )
    this.#database.transaction(() => {
      this.#database.exec("DELETE FROM plants WHERE caller = 'writer'")
      for (const id of ids) add.run(id)
    })()
  }

  ids(): bigint[] {
    const select = this.#database.prepare<[], bigint>("SELECT id FROM plants WHERE caller = 'writer' ORDER BY id")
    return select.pluck().safeIntegers().all()
  }

  close(): void {
    this.#database.close()
  }
}

interface Answer {
  status: number
  body: string
}

async function ask({ server, database }: RunningContender, { place, spelling }: IntegerSpelling): Promise<Answer> {
  const [path, init] = requestOf(place, spelling)
  const headers = {
    authorization: `Bearer ${database.tokens.writer}`,
    ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const response = await fetch(`http://127.0.0.1:${String(server.port)}${path}`, { ...init, headers })
  return { status: response.status, body: await response.text() }
}

function requestOf(
  place: IntegerSpelling['place'],
  spelling: string,
): [path: string, init: { method: string; body?: string }] {
  switch (place) {
    case 'path':
      return [`/plants/${spelling}`, { method: 'DELETE' }]
    case 'query':
      return [`/plants?limit=${spelling}`, { method: 'GET' }]
    case 'body':
      return ['/plants', { method: 'POST', body: `{"id":${spelling},"name":"Aloe vera"}` }]
  }
}

/** @param touched the ids of the plants that were deleted or created */
function outcomeOf(
  { place, expected }: IntegerSpelling,
  { status, body }: Answer,
  touched: readonly bigint[],
  listed: number,
): Outcome {
  const isRefused = expected === 'refused'
  const [id] = touched
  if (place === 'query' ? status !== 200 : id === undefined) {
    return { isRight: isRefused && status === 400, isWrongPlant: false, isTaken: false, text: String(status) }
  }
  if (id === undefined) {
    const count = BigInt((JSON.parse(body) as unknown[]).length)
    return {
      isRight: !isRefused && count === (expected < BigInt(listed) ? expected : BigInt(listed)),
      isWrongPlant: false,
      isTaken: isRefused,
      text: `${String(count)} of ${String(listed)} plants`,
    }
  }
  const isRight = id === expected && status === (place === 'path' ? 204 : 200)
  return {
    isRight,
    isWrongPlant: id !== expected && !isRefused,
    isTaken: isRefused,
    text: isRight ? String(status) : `**${place === 'path' ? 'deletes' : 'stores'} ${String(id)}**`,
  }
}
