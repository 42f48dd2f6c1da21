import { parseArgs } from 'node:util'
import { type PartName, parts } from './check/parts.ts'
import { runParts } from './check/run-parts.ts'

const usage = `Usage: npm run check                 runs the whole gate around a change of the contract
       npm run check -- PART...      runs these parts of it: ${Object.keys(parts).join(', ')}`

const names = readNames()
if (names === undefined) process.exitCode = 1
else process.exitCode = (await runParts(names, '.')) ? 0 : 1

function readNames(): PartName[] | undefined {
  try {
    const { positionals } = parseArgs({ allowPositionals: true, options: {} })
    const unknown = positionals.filter((name) => !Object.hasOwn(parts, name))
    if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}`)
    const wanted = positionals.length === 0 ? Object.keys(parts) : positionals
    // Every name has just been found among the parts.
    return wanted as PartName[]
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
    return undefined
  }
}
