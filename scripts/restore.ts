import { parseArgs } from 'node:util'
import { loadConfig } from '../src/config/config.ts'
import { Refusal, failureText, sqliteFileOf } from './backup/refusal.ts'
import { restore } from './backup/restore.ts'

const usage = 'Usage: npm run restore -- FILE [--force]   puts a copy that npm run backup made in the place that DATABASE_URL names'

try {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { force: { type: 'boolean', default: false } } })
  const [file, ...rest] = positionals
  if (file === undefined || rest.length > 0) throw new Refusal(usage)
  const target = sqliteFileOf(loadConfig(process.env).database, 'pg_restore')
  const { plants, tokens } = restore(file, target, values.force)
  console.log(`${target}: ${String(plants)} plants and ${String(tokens)} tokens, restored from ${file}`)
} catch (error) {
  console.error(failureText(error))
  process.exitCode = 1
}
