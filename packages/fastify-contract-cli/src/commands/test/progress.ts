import { printable } from 'fastify-contract/json'

/** Shows what is tested now, in place of the last, on a terminal at which someone looks. */
export function showProgress(text: string): void {
  const { stderr } = process
  if (stderr.isTTY) stderr.write(`\r\u001b[K${printable(text).slice(0, Math.max(10, stderr.columns - 1))}`)
}

/** Prints a line of the report. Nothing in a contract or in a response controls the terminal. */
export function printLine(text: string): void {
  showProgress('')
  console.log(printable(text))
}
