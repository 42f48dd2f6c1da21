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
  // Standard output and standard error may be two sockets to the journal. The variable then names the second.
  return isNamed(output) || (isNamed(error) && output.isSocket())
}
