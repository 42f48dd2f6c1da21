import { contractFile, generatedFolder } from './document.ts'

/**
 * The command that generates the files of a contract, without options that have their default.
 *
 * @param contract its path, relative to where the command runs, as is `out`
 */
export function generateCommand(contract: string, out: string): string {
  const options = [
    ...(contract === contractFile ? [] : ['--contract', shellQuoted(contract)]),
    ...(out === generatedFolder ? [] : ['--out', shellQuoted(out)]),
  ]
  return ['fastify-contract generate', ...options].join(' ')
}

/** A word of a shell command. */
export function shellQuoted(text: string): string {
  return /^[\w./:=@%,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
