import { writeWordsPage } from './contract/words/write-words-page.ts'

// Prints the page that docs/openapi.md keeps.
process.stdout.write(writeWordsPage())
