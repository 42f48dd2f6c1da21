import { UsageError, readArguments, runCommand } from '../command.ts'
import { type GenerateMode, generate } from '../../packages/fastify-contract/src/gate/generate/generate.ts'

const usage = `Usage: npm run generate                  writes generated/ from openapi.yaml
       npm run generate -- --check       writes nothing; fails and names each file of generated/ that does not match
       npm run generate -- --scaffold    also writes a handler for each operation that has none`

async function run(): Promise<void> {
  const { ok, lines } = await generate('.', readMode())
  for (const line of lines) (ok ? console.log : console.error)(line)
  process.exitCode = ok ? 0 : 1
}

function readMode(): GenerateMode {
  const options = { check: { type: 'boolean' }, scaffold: { type: 'boolean' } } as const
  const { check, scaffold } = readArguments(usage, { options }).values
  if (check === true && scaffold === true) {
    throw new UsageError(`--check writes nothing, and --scaffold writes handlers\n${usage}`)
  }
  return check === true ? 'check' : scaffold === true ? 'scaffold' : 'write'
}

await runCommand(run)
