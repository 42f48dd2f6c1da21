import { setPriority } from 'node:os'
import { BadConfig, loadConfig } from '../../src/config/config.ts'
import { UnusableStore } from '../../src/store/store.ts'
import { UsageError, readArguments, runCommand } from '../command.ts'
import { backUp } from './backup/back-up.ts'
import { sqliteFileOf } from './backup/files.ts'

const usage = 'Usage: npm run backup -- FILE   copies the database of DATABASE_URL to FILE; the server may run'

async function run(): Promise<void> {
  const [file, ...rest] = readArguments(usage, { allowPositionals: true }).positionals
  if (file === undefined || rest.length > 0) throw new UsageError(usage)
  // The server and other processes take precedence.
  setPriority(10)
  const { plants, tokens, bytes } = await backUp(sqliteFileOf(loadConfig(process.env).database, 'pg_dump'), file)
  console.log(`${file}: ${String(plants)} plants and ${String(tokens)} tokens in ${String(bytes)} bytes, verified`)
}

await runCommand(run, BadConfig, UnusableStore)
