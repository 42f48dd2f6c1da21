import { type Stats, fstatSync } from 'node:fs'

/**
 * The text for the person who starts the server.
 *
 * @param origin where the server listens, such as `http://127.0.0.1:3000`
 * @param token a token that was just issued and is shown this once, or undefined
 */
export function welcome(origin: string, token: string | undefined): string {
  const lines = [`Plant Store  ${origin}`, `Docs         ${origin}/docs`]
  if (token === undefined) lines.push('Token        npm run token -- issue CALLER')
  else {
    lines.push(
      `Token        ${token}`,
      '             for the caller "me"; it is shown this once',
      `Try          curl -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' ` +
        `-d '{"id":54,"name":"Monstera deliciosa","tag":"indoor"}' ${origin}/plants`,
      `             curl -H 'Authorization: Bearer ${token}' ${origin}/plants`,
    )
  }
  return lines.join('\n')
}

/**
 * Whether standard output is the journal of systemd.
 *
 * @param journalStream the variable `JOURNAL_STREAM`: device and inode of standard error where that is the journal,
 *   else of standard output (systemd.exec(5)). A process inherits it too where its own output goes elsewhere.
 */
export function isStandardOutputJournal(journalStream: string | undefined): boolean {
  if (journalStream === undefined) return false
  const [output, error] = [fstatSync(1), fstatSync(2)]
  const isNamed = ({ dev, ino }: Stats) => journalStream === `${String(dev)}:${String(ino)}`
  // Standard output and standard error may be two sockets to the journal. The variable then names the second.
  return isNamed(output) || (isNamed(error) && output.isSocket())
}
