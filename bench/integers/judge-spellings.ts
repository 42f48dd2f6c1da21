import Database from 'better-sqlite3'
import type { IntegerSpelling } from '../../scripts/measure/integer-spellings.ts'
import type { Contender } from '../contenders/contenders.ts'
import { type RunningContender, startContender } from '../contenders/running-contender.ts'

/** What a server made of one spelling. */
export interface Outcome {
  /** As the contract wants it. */
  isRight: boolean
  /** A valid integer became another one, or a refused form touched a plant that it does not name. */
  isWrongPlant: boolean
  /** A form that the contract refuses was taken for a number. */
  isTaken: boolean
  /** What happened, in words for a table. */
  text: string
}

const exact = 2n ** 53n

/** Plants that a rounded or wrapped id could hit, beside those that the spellings name. */
const decoys = [-exact, -exact - 2n, exact - 1n, 5n, 36n]

/**
 * Has a server read each spelling where it stands: deletes a plant, lists with a limit, creates a plant.
 *
 * @returns an outcome for each spelling, in their order
 */
export async function judgeSpellings(
  contender: Contender,
  folder: string,
  spellings: readonly IntegerSpelling[],
): Promise<Outcome[]> {
  const ids = [
    ...new Set([...decoys, ...spellings.map(({ verdict }) => verdict).filter((verdict) => verdict !== 'refused')]),
  ]
  const running = await startContender(contender, folder, () => undefined)
  const database = new Database(running.database.file)
  const plants = {
    clear: database.prepare("DELETE FROM plants WHERE caller = 'writer'"),
    add: database.prepare<[bigint]>("INSERT INTO plants (caller, id, name) VALUES ('writer', ?, 'Aloe vera')"),
    ids: database
      .prepare<[], bigint>("SELECT id FROM plants WHERE caller = 'writer' ORDER BY id")
      .pluck()
      .safeIntegers(),
  }
  function plant(wanted: readonly bigint[]): void {
    database.transaction(() => {
      plants.clear.run()
      for (const id of wanted) plants.add.run(id)
    })()
  }
  try {
    const outcomes: Outcome[] = []
    for (const spelling of spellings) {
      plant(spelling.place === 'body' ? [] : ids)
      const answer = await ask(running, spelling)
      const left = plants.ids.all()
      outcomes.push(
        outcomeOf(
          spelling,
          answer,
          spelling.place === 'body' ? left : ids.filter((id) => !left.includes(id)),
          ids.length,
        ),
      )
    }
    return outcomes
  } finally {
    database.close()
    await running.server.stop()
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

/** @param touched the ids of the plants that are gone, or that are new */
function outcomeOf(
  { place, verdict }: IntegerSpelling,
  { status, body }: Answer,
  touched: readonly bigint[],
  listed: number,
): Outcome {
  if (place === 'query') {
    if (status !== 200)
      return {
        isRight: verdict === 'refused' && status === 400,
        isWrongPlant: false,
        isTaken: false,
        text: String(status),
      }
    const count = BigInt((JSON.parse(body) as unknown[]).length)
    const isRight = verdict !== 'refused' && count === (verdict < BigInt(listed) ? verdict : BigInt(listed))
    return {
      isRight,
      isWrongPlant: false,
      isTaken: verdict === 'refused',
      text: `${String(count)} of ${String(listed)} plants`,
    }
  }
  const [id] = touched
  if (id === undefined)
    return {
      isRight: verdict === 'refused' && status === 400,
      isWrongPlant: false,
      isTaken: false,
      text: String(status),
    }
  const isRight = id === verdict && status === (place === 'path' ? 204 : 200)
  return {
    isRight,
    isWrongPlant: id !== verdict && verdict !== 'refused',
    isTaken: verdict === 'refused',
    text: isRight ? String(status) : `**${place === 'path' ? 'deletes' : 'stores'} ${String(id)}**`,
  }
}
