import { project } from './service.ts'

/** What in the words of a process differs from run to run, and what is recorded in its place. */
const varying: readonly [RegExp, string][] = [
  [/plst_[\w-]{43}/g, '$$TOKEN'],
  [/plst_(?!x)[\w-]{6}…/g, '$$PREFIX…'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d\.\d+)?Z/g, '$$TIME'],
  [/(127\.0\.0\.1|\[::1\]|PORT|port) ?:? ?\d{2,5}\b/g, '$1 $$PORT'],
  [/\b[\da-f]{64}\b/g, '$$SHA256'],
  [/process \d+/g, 'process $$PID'],
  [/restoring-\w{6}/g, 'restoring-*'],
  [/golden_\d+_\d+/g, '$$DATABASE'],
]

/** @param folder the temporary folder of a run, whose name is another one each time */
export function normalText(text: string, folder: string): string {
  const named = text.replaceAll(folder, '$FOLDER').replaceAll(project, '$PROJECT')
  return varying.reduce((changed, [pattern, by]) => changed.replaceAll(pattern, by), named)
}

/** Fields of a log line that differ from run to run. */
const varyingFields = ['time', 'pid', 'hostname', 'milliseconds', 'reqId']

/** The lines of a log. Lines of pino are without what differs from run to run. */
export function normalLines(text: string, folder: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => normalLine(line, folder))
}

/** The different lines of a log, sorted: several connections write at the same time, and some faults more than once. */
export function normalLog(text: string, folder: string): string[] {
  return [...new Set(normalLines(text, folder))].sort()
}

function normalLine(line: string, folder: string): string {
  if (!line.startsWith('{')) return normalText(line, folder)
  // Pino writes objects.
  const { err, ...fields } = JSON.parse(line) as Record<string, unknown> & { err?: Record<string, unknown> }
  for (const name of varyingFields) Reflect.deleteProperty(fields, name)
  if (/^[\da-f]{8}-/.test(String(fields['requestId']))) fields['requestId'] = '*'
  const { type, message, code } = err ?? {}
  return normalText(JSON.stringify(err === undefined ? fields : { ...fields, err: { type, message, code } }), folder)
}
