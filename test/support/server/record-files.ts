// Loaded before a program's own code. Records the order in which it creates, removes, renames and syncs files and
// folders, in the file that RECORD_FILES names.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { appendFileSync, openSync, fsyncSync, mkdirSync, rmSync, renameSync, linkSync } = fs
const paths = new Map<number, string>()

function record(operation: string, path: unknown): void {
  appendFileSync(process.env['RECORD_FILES'] ?? '', `${operation} ${String(path)}\n`)
}

fs.openSync = (path, ...rest) => {
  const descriptor = openSync(path, ...rest)
  paths.set(descriptor, String(path))
  return descriptor
}
fs.fsyncSync = (descriptor) => {
  fsyncSync(descriptor)
  record('sync', paths.get(descriptor))
}
fs.rmSync = (path, options) => {
  rmSync(path, options)
  record('remove', path)
}
fs.renameSync = (from, to) => {
  renameSync(from, to)
  record('rename to', to)
}
fs.linkSync = (existing, path) => {
  linkSync(existing, path)
  record('link to', path)
}
// An overload; all take the path first.
fs.mkdirSync = ((path: string, options: fs.MakeDirectoryOptions) => {
  const made = mkdirSync(path, options)
  record('make', path)
  return made
}) as typeof fs.mkdirSync
syncBuiltinESMExports()
