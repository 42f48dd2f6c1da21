import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { capacitySection, insertSection } from '../../scripts/prove/capacity/capacity-section.ts'

const docs = join(import.meta.dirname, '../../docs')
const read = (file: string) => readFileSync(join(docs, file), 'utf8')
const [figures, citus, page] = [read('bench/figures.json'), read('bench/citus.json'), read('postgres.md')]

test('the capacity on the page is what npm run capacity computes from the files of figures', () => {
  expect(insertSection(page, capacitySection(figures, citus))).toBe(page)
})

test('twice the cost of the database is half of what one database does', () => {
  const costs = (coordinator: number) => {
    const measured = JSON.parse(citus) as { costs: { single: { coordinator: number } } }
    measured.costs.single.coordinator = coordinator
    return capacitySection(figures, JSON.stringify(measured))
  }
  expect(costs(80)).toContain('one PostgreSQL is full at 100,000 requests a second')
  expect(costs(160)).toContain('one PostgreSQL is full at 50,000 requests a second')
  expect(costs(160)).toContain('no: 160 cores of one database')
})

test('a page without the place for it is refused', () => {
  expect(() => insertSection('# A page', 'text')).toThrow('docs/postgres.md has no place that')
})
