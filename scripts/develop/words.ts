import { takeNoArguments } from '../command.ts'
import { writeWordsPage } from './contract/words/write-words-page.ts'

takeNoArguments('Usage: npm run words   prints the page that docs/openapi.md keeps')

process.stdout.write(writeWordsPage())
