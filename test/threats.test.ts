import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../docs')

test('every test that docs/threats.md names exists', () => {
  const links = [
    ...readFileSync(join(folder, 'threats.md'), 'utf8').matchAll(
      /\[([^\]]+)\]\((\.\.\/(?:test|packages|bench)\/[^)]+)\)/g,
    ),
  ]
  expect(links.length).toBeGreaterThan(30)
  const missing = links.filter(
    ([, title = '', file = '']) =>
      !existsSync(join(folder, file)) || !readFileSync(join(folder, file), 'utf8').includes(title),
  )
  expect(missing.map(([link]) => link)).toEqual([])
})
