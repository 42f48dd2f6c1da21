import { BadConfig, loadConfig } from '../../src/config/config.ts'
import { UnusableStore } from '../../src/store/store.ts'
import { UsageError, readArguments, runCommand } from '../command.ts'
import { restore } from './backup/restore.ts'
import { sqliteFileOf } from './backup/files.ts'

const usage = `Usage: npm run restore -- FILE [--force]   replaces the database of DATABASE_URL with a backup`

function run(): void {
  const { positionals, values } = readArguments(usage, {
    allowPositionals: true,
    options: { force: { type: 'boolean', default: false } },
  })
  const [file, ...rest] = positionals
  if (file === undefined || rest.length > 0) throw new UsageError(usage)
  const target = sqliteFileOf(loadConfig(process.env).database, 'pg_restore')
  const { plants, tokens } = restore(file, target, values.force)
  console.log(`${target}: ${String(plants)} plants and ${String(tokens)} tokens, restored from ${file}`)
}

await runCommand(run, BadConfig, UnusableStore)
