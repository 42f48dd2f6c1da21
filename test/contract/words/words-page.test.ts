import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { wordsPage, writeWordsPage } from '../../../scripts/develop/contract/words/write-words-page.ts'

it('docs/openapi.md is the table that generation uses', async () => {
  const page = await readFile(join(import.meta.dirname, '../../..', wordsPage), 'utf8')
  expect(page, `run npm run -s words > ${wordsPage}`).toBe(writeWordsPage())
})
