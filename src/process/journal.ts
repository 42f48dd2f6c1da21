import { type Stats, fstatSync } from 'node:fs'

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
  // Each may have a socket of its own to the journal, and the variable then names that of standard error.
  return isNamed(output) || (isNamed(error) && output.isSocket())
}
