import { printable } from '../../packages/fastify-contract/src/json/printable.ts'
import { takeNoArguments } from '../command.ts'
import { createServerProcess } from './dev/server-process.ts'
import { createTypeCheck } from './dev/type-check.ts'
import { type Saved, watchProject } from './dev/watch-project.ts'
import { type GenerateResult, generate } from '../../packages/fastify-contract/src/gate/generate/generate.ts'
import { leftOverHandlers, missingHandlers } from '../../packages/fastify-contract/src/gate/generate/handler-files.ts'

takeNoArguments(`Usage: npm run dev   runs a server of the project in this folder, and prints type errors.

A saved openapi.yaml, or a file that it refers to, is generated from; a saved source file restarts the server. While the
contract is broken, the last good server goes on.`)

const root = '.'

function say(line: string): void {
  // The compiler quotes the contract, too.
  console.log(`dev: ${printable(line)}`)
}

async function readContract(): Promise<GenerateResult> {
  const read = await generate(root, 'write')
  for (const line of read.lines.flatMap((text) => text.split('\n'))) say(line)
  return read
}

async function serve(contract: GenerateResult): Promise<void> {
  const reason = obstacle(contract)
  if (reason === undefined) return server.restart()
  const now = server.isRunning() ? 'the last good server goes on' : 'the server starts when that is mended'
  say(`${reason}; ${now}`)
}

/** Why a server would not start. */
function obstacle({ ok, operations }: GenerateResult): string | undefined {
  if (!ok) return 'openapi.yaml is broken'
  const missing = missingHandlers(root, operations).map(({ id }) => id)
  if (missing.length > 0) return `there is no handler for ${missing.join(', ')}`
  const leftOver = leftOverHandlers(root, operations)
  return leftOver.length === 0 ? undefined : `src/handlers.ts has ${leftOver.join(', ')}, which openapi.yaml has not`
}

const server = createServerProcess(root, say)
const types = createTypeCheck(root, say)
let contract: GenerateResult | undefined
const stopWatching = watchProject(root, async (saved: Saved, followContract) => {
  if (saved.contract || contract === undefined) {
    contract = await readContract()
    followContract(contract.referred)
  }
  await serve(contract)
  types.start()
})

let closing: Promise<void> | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopWatching()
    types.stop()
    closing ??= server.stop()
  })
}
