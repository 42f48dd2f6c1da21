import { missingHandlers } from '../generate/handler-files.ts'
import { type GenerateResult, generate } from '../generate/generate.ts'
import { createServerProcess } from './server-process.ts'
import { watchTypes } from './watch-types.ts'
import { type Saved, watchProject } from './watch-project.ts'

/**
 * Keeps a server running that follows the project: a saved openapi.yaml is generated from, a saved source file is
 * loaded, and type errors are told beside that. What cannot be served keeps the last good server running.
 *
 * @param root the project's folder
 * @param say tells the person one line
 * @returns what ends the server and the watching
 */
export async function develop(root: string, say: (line: string) => void): Promise<{ close: () => Promise<void> }> {
  const server = createServerProcess(root, say)
  let contract: GenerateResult

  async function readContract(): Promise<void> {
    contract = await generate(root, 'write')
    for (const line of contract.lines.flatMap((text) => text.split('\n'))) say(line)
  }

  async function serve(): Promise<void> {
    const missing = missingHandlers(root, contract.missing)
    if (contract.ok && missing.length === 0) return server.restart()
    const reason = contract.ok ? `there is no handler for ${missing.map(({ id }) => id).join(', ')}` : 'openapi.yaml is broken'
    say(server.isRunning() ? `${reason}; the last good server goes on` : `${reason}; the server starts when that is mended`)
  }

  await readContract()
  await serve()
  const stopWatching = watchProject(root, async (saved: Saved) => {
    if (saved.contract) await readContract()
    await serve()
  })
  const types = watchTypes(root, say)
  return {
    close: async () => {
      stopWatching()
      types.close()
      await server.stop()
    },
  }
}
