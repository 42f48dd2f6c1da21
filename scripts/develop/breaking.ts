import { readArguments, runCommand } from '../command.ts'
import { judgeChanges } from './breaking/judge-changes.ts'

const usage = `Usage: npm run breaking                      compares openapi.yaml with the newest release tag, vX.Y.Z
       npm run breaking -- --base GIT_REF    compares it with a commit, a branch or a tag`

async function run(): Promise<void> {
  const { base } = readArguments(usage, { options: { base: { type: 'string' } } }).values
  const { ok, lines } = await judgeChanges('.', base)
  for (const line of lines) (ok ? console.log : console.error)(line)
  process.exitCode = ok ? 0 : 1
}

await runCommand(run)
