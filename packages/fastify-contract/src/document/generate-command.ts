import { contractFile, generatedFolder } from './document.ts'

/**
 * The command that generates the files of a contract, without options that have their default.
 *
 * @param contract its path, relative to where the command runs, as are `out` and `root`
 * @param root the folder of `--root`
 */
export function generateCommand(contract: string, out: string, root?: string): string {
  const options = [
    ...(contract === contractFile ? [] : ['--contract', shellQuoted(contract)]),
    ...(out === generatedFolder ? [] : ['--out', shellQuoted(out)]),
    ...(root === undefined ? [] : ['--root', shellQuoted(root || '.')]),
  ]
  return ['fastify-contract generate', ...options].join(' ')
}

/** A word of a shell command. */
export function shellQuoted(text: string): string {
  return /^[\w./:=@%,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
