import { type ContractOperation, contractFile } from '../../document/document.ts'
import { generateFiles } from './generate-files.ts'
import { folder, replaceFiles, staleFiles } from './generated-folder.ts'
import { missingHandlers, scaffoldHandler, strayHandlers } from './handler-files.ts'
import { BrokenContract } from '../check/findings.ts'

/** `write` writes `generated/`, `check` lists what is stale there, `scaffold` writes it and the missing handlers. */
export type GenerateMode = 'write' | 'check' | 'scaffold'

export interface GenerateResult {
  /** Whether `generated/` matches the contract now. */
  ok: boolean
  /** The lines to print. */
  lines: string[]
  /** The files that openapi.yaml refers to, by their paths from its folder, as far as they are known. */
  referred: readonly string[]
  /** The operations of the contract; none where it is broken. */
  operations: ContractOperation[]
}

/**
 * Writes `generated/` from openapi.yaml, or says what is stale there. A broken contract changes nothing.
 *
 * @param root the project's folder
 */
export async function generate(root: string, mode: GenerateMode): Promise<GenerateResult> {
  let contract: Awaited<ReturnType<typeof generateFiles>>
  try {
    contract = await generateFiles(root)
  } catch (error) {
    if (!(error instanceof BrokenContract)) throw error
    const { message, referred } = error
    return { ok: false, lines: [message, `${folder}/ is as it was.`], referred, operations: [] }
  }
  const { files, operations, warnings, referred } = contract
  const stale = await staleFiles(root, files)
  const missing = missingHandlers(root, operations)
  if (mode === 'check') {
    const mismatches = stale.map((file) => `${folder}/${file} does not match ${contractFile}: run npm run generate`)
    const result = stale.length === 0 ? [`${folder}/ matches ${contractFile}`] : mismatches
    return { ok: stale.length === 0, lines: [...warnings, ...result], referred, operations }
  }
  try {
    await replaceFiles(root, files)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ok: false, lines: [`${folder}/ cannot be written: ${reason}`], referred, operations }
  }
  const lines = [...warnings, ...(stale.length === 0 ? [`${folder}/ was up to date`] : [])]
  const [written, removed] = [stale.filter((file) => files.has(file)), stale.filter((file) => !files.has(file))]
  if (written.length > 0) lines.push(`wrote ${written.map((file) => `${folder}/${file}`).join(', ')}`)
  if (removed.length > 0) lines.push(`removed ${removed.map((file) => `${folder}/${file}`).join(', ')}`)
  if (mode === 'scaffold') lines.push(...missing.flatMap((operation) => scaffoldHandler(root, operation, operations)))
  else
    lines.push(...missing.map(({ id }) => `operation ${id} has no handler: npm run generate -- --scaffold writes one`))
  lines.push(...strayHandlers(root, operations))
  return { ok: true, lines, referred, operations }
}
