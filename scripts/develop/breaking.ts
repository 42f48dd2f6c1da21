import { UsageError, readArguments, runCommand } from '../command.ts'
import { checkBreaking } from '../../packages/fastify-contract/src/gate/breaking/compare-with-release.ts'

const usage = `Usage: npm run breaking                 compares openapi.yaml with the newest contract in docs/releases/
       npm run breaking -- VERSION      compares it with that of another release, such as 1.0.0
       npm run breaking -- FILE         compares it with the contract in a file`

async function run(): Promise<void> {
  const { positionals } = readArguments(usage, { allowPositionals: true, options: {} })
  if (positionals.length > 1)
    throw new UsageError(`there is one contract to compare with, not ${positionals.join(', ')}\n${usage}`)
  const { ok, lines } = await checkBreaking('.', positionals[0])
  for (const line of lines) (ok ? console.log : console.error)(line)
  process.exitCode = ok ? 0 : 1
}

await runCommand(run)
