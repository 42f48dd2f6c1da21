import { UsageError, readArguments, runCommand } from '../command.ts'
import { BrokenContract } from './contract/findings.ts'
import { release } from './release/release.ts'

const usage = `Usage: npm run release -- VERSION    releases this version, such as 1.1.0
       npm run release               releases the version that info.version of openapi.yaml has

Keeps the contract in docs/releases/, writes the entry in CHANGELOG.md, sets the version, commits and tags.`

async function run(): Promise<void> {
  const { positionals } = readArguments(usage, { allowPositionals: true, options: {} })
  if (positionals.length > 1) throw new UsageError(`give one version, not ${positionals.join(' ')}\n${usage}`)
  for (const line of await release('.', positionals[0], new Date())) console.log(line)
}

await runCommand(run, BrokenContract)
