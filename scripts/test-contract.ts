import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const usage = `Usage: npm run test:contract                                        the contract suite
       npm run test:contract -- --long                              twenty times as many runs of each property
       npm run test:contract -- --seed N [--path P] [--only TITLE]  a run, or one case of one test, again`

try {
  process.exitCode = run()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
  process.exitCode = 1
}

function run(): number {
  const { values } = parseArgs({ options: { long: { type: 'boolean' }, seed: { type: 'string' }, path: { type: 'string' }, only: { type: 'string' } } })
  const { long, seed, path, only } = values
  if (seed !== undefined && !/^\d+$/.test(seed)) throw new Error(`--seed must be a whole number, not ${JSON.stringify(seed)}`)
  if (path !== undefined && (seed === undefined || only === undefined)) throw new Error('--path names a case of one test; it needs --seed and --only')
  const environment = {
    ...process.env,
    ...(long === true ? { CONTRACT_SCALE: '20' } : {}),
    ...(seed === undefined ? {} : { CONTRACT_SEED: seed }),
    ...(path === undefined ? {} : { CONTRACT_PATH: path }),
    ...(only === undefined ? {} : { CONTRACT_PART: only }),
  }
  const filter = only === undefined ? [] : [`--testNamePattern=${escaped(only)}$`]
  // What the tests print is shown as they print it: the progress of a long run is of use while it runs.
  const args = [join(import.meta.dirname, '../node_modules/vitest/vitest.mjs'), 'run', 'test/contract-suite/', '--project=sqlite', '--disable-console-intercept=true', ...filter]
  return spawnSync(process.execPath, args, { stdio: 'inherit', env: environment }).status ?? 1
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
