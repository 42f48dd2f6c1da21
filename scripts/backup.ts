import { setPriority } from 'node:os'
import { parseArgs } from 'node:util'
import { loadConfig } from '../src/config/config.ts'
import { backUp } from './backup/back-up.ts'
import { createProgressBar } from './backup/progress-bar.ts'
import { Refusal, failureText, sqliteFileOf } from './backup/refusal.ts'

const usage = 'Usage: npm run backup -- FILE   copies the database that DATABASE_URL names to FILE, while the server runs'

try {
  const { positionals } = parseArgs({ allowPositionals: true })
  const [file, ...rest] = positionals
  if (file === undefined || rest.length > 0) throw new Refusal(usage)
  // Whoever waits for the server goes first.
  setPriority(10)
  const bar = createProgressBar('copying')
  const { plants, tokens, bytes } = await backUp(sqliteFileOf(loadConfig(process.env).database, 'pg_dump'), file, bar)
  console.log(`${file}: ${String(plants)} plants and ${String(tokens)} tokens in ${String(bytes)} bytes, verified`)
} catch (error) {
  console.error(failureText(error))
  process.exitCode = 1
}
