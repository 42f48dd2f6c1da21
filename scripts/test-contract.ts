import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { UsageError, readArguments, runCommand } from './command.ts'

const usage = `Usage: npm run test:contract                                        runs the contract suite
       npm run test:contract -- --long                              runs each property twenty times as often
       npm run test:contract -- --seed N [--path P] [--only TITLE]  repeats a run, or one case of one test`

const text = { type: 'string' } as const
const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')

function run(): void {
  const options = { long: { type: 'boolean' }, seed: text, path: text, only: text } as const
  const { long, seed, path, only } = readArguments(usage, { options }).values
  if (seed !== undefined && !/^\d+$/.test(seed)) {
    throw new UsageError(`--seed must be an integer, not ${JSON.stringify(seed)}\n${usage}`)
  }
  if (path !== undefined && (seed === undefined || only === undefined)) {
    throw new UsageError(`--path needs --seed and --only\n${usage}`)
  }
  const environment = {
    ...process.env,
    ...(long === true ? { CONTRACT_SCALE: '20' } : {}),
    ...(seed === undefined ? {} : { CONTRACT_SEED: seed }),
    ...(path === undefined ? {} : { CONTRACT_PATH: path }),
    ...(only === undefined ? {} : { CONTRACT_PART: only }),
  }
  const filter = only === undefined ? [] : [`--testNamePattern=${escaped(only)}$`]
  // Prints the output of tests immediately, to show the progress of a long run.
  const shown = ['--project=sqlite', '--disable-console-intercept=true', ...filter]
  const command = [vitest, 'run', 'test/contract-suite/', ...shown]
  process.exitCode = spawnSync(process.execPath, command, { stdio: 'inherit', env: environment }).status ?? 1
}

function escaped(title: string): string {
  return title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

await runCommand(run)
