import { parseArgs } from 'node:util'
import { judgeChanges } from './breaking/judge-changes.ts'

const usage = `Usage: npm run breaking                      compares openapi.yaml with that of the newest release tag, vX.Y.Z
       npm run breaking -- --base GIT_REF    compares it with that of a commit, a branch or a tag`

const base = readBase()
if (base === undefined) process.exitCode = 1
else {
  const { ok, lines } = await judgeChanges('.', base.ref)
  for (const line of lines) (ok ? console.log : console.error)(line)
  process.exitCode = ok ? 0 : 1
}

function readBase() {
  try {
    return { ref: parseArgs({ options: { base: { type: 'string' } } }).values.base }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
    return undefined
  }
}
