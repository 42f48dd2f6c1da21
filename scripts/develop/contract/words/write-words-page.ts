import { words } from './openapi-words.ts'
import { formats } from './schema-words.ts'
import type { Word } from './verdicts.ts'

/** The page of the words, from the project's folder. */
export const wordsPage = 'docs/openapi.md'

const introduction = `# What the service does with each word of the contract

Every field of OpenAPI 3.1 and every keyword of JSON Schema 2020-12 is **enforced**, **shown** only, or **refused** when
\`npm run generate\` reads the contract. None is ignored. A word that is refused is reported with its file, its line and
what to write instead, together with all other problems. A word that is in neither specification is refused, unless it
begins with \`x-\`.

The page is made from the table that the check itself uses, by \`npm run -s words > ${wordsPage}\`.
`

/** Writes the page from the table. */
export function writeWordsPage(): string {
  const sections = Object.entries(words).map(([kind, ofKind]) => {
    const rows = Object.entries(ofKind).map(([name, word]) => rowOf(name === '*' ? 'any other name' : name, word))
    return [`## ${titleOf(kind)}`, '', '| word | what happens | |', '| --- | --- | --- |', ...rows].join('\n')
  })
  const texts = [...formats].filter(([, types]) => types.includes('string')).map(([name]) => `\`${name}\``)
  const formatsSection = [
    '## Formats',
    '',
    'Of integers `int32` and `int64`, of numbers `float` and `double`, of strings',
    `${texts.join(', ')}. Other formats are refused.`,
  ].join('\n')
  return `${[introduction.trimEnd(), ...sections, formatsSection].join('\n\n')}\n`
}

function rowOf(name: string, { verdict, text }: Word): string {
  return `| \`${name}\` | ${verdict} | ${text.replaceAll('|', '\\|')} |`
}

/** `pathItem` as `Path item`. */
function titleOf(kind: string): string {
  const text = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
