import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type Block, blocksOf, pages, textOf } from '../support/pages.ts'
import { type PageFolder, preparePage } from './page-folders.ts'
import { type Treatment, treatments } from './treatments.ts'

/** A page that has a test of its own. */
const elsewhere: Record<string, string> = { 'docs/make-it-yours.md': 'test/docs/make-it-yours.test.ts' }

const blocks = pages.filter((page) => !(page in elsewhere)).flatMap((page) => blocksOf(page))

function treatmentOf(block: Block): Treatment | undefined {
  const beside = blocks.filter(({ place }) => place === block.place)
  return treatments[block.place]?.[beside.indexOf(block)]
}

const engine = inject('engine')

/** Once is enough for what needs no database. */
const general = engine === 'sqlite' ? describe : () => undefined
general('every fenced block of the documentation', () => {
  test('is run, compared with what it quotes, or has a reason not to be', () => {
    const without = blocks.filter((block) => treatmentOf(block) === undefined)
    expect(
      without.map(
        ({ page, line, place }) =>
          `${page}:${String(line)}: say in test/docs/treatments.ts, under '${place}', what it is`,
      ),
    ).toEqual([])
  })

  test('that test/docs/treatments.ts speaks of is there', () => {
    const counts = Map.groupBy(blocks, ({ place }) => place)
    const stale = Object.entries(treatments).filter(([place, { length }]) => (counts.get(place)?.length ?? 0) < length)
    expect(stale.map(([place]) => place)).toEqual([])
  })

  test.each(Object.entries(elsewhere))('of %s is read by %s', (page, file) => {
    expect(textOf(file)).toContain(`blocksOf('${page}')`)
  })
})

/** The blocks that need PostgreSQL are on one page. */
const here = blocks.filter(
  (block) => (block.page === 'docs/postgres.md') === (engine === 'postgres') && treatmentOf(block)?.check !== undefined,
)

describe.each([...Map.groupBy(here, ({ page }) => page)])('%s shows what is so:', (page, itsBlocks) => {
  let folder: PageFolder
  beforeAll(async () => {
    const finishes: (() => Promise<void>)[] = []
    folder = await preparePage(page, (finish) => void finishes.unshift(finish))
    return async () => {
      for (const finish of finishes) await finish()
    }
  }, 60_000)

  test.each(itsBlocks)('line $line, below $place', { timeout: 60_000 }, async (block) => {
    await treatmentOf(block)?.check?.(block, folder)
  })
})
