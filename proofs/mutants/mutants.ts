import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ContractDocument, sealContract } from 'fastify-contract/document'
import { contract as generated } from '../../generated/contract.ts'
import { parseJsonWithBigInts, stringifyJson } from 'fastify-contract/json'
import { UsageError, readArguments } from '../../scripts/command.ts'
import { projectFolder } from '../../test/support/server/start-process.ts'
import { type Mutant, mutantsOf } from './contract-edits.ts'

/** The seed of every run, so that results are repeatable. */
const seed = '1'

const timeoutMilliseconds = 180_000

const usage = `Usage: npm run proofs -- mutants [WORDS]
         changes the contract in each way whose name contains these words, or else in all; the exit code is 1 when the
         contract suite does not notice one of them`

/** Runs the contract suite with each changed contract. */
export async function run(args: string[]): Promise<void> {
  const [wanted = ''] = readArguments(usage, { args, allowPositionals: true, options: {} }).positionals
  const source = generated.document
  const mutants = mutantsOf(parse(source)).filter(({ name }) => name.includes(wanted))
  if (mutants.length === 0) throw new UsageError(`no change of the contract has a name with: ${wanted}`)
  await using cleanup = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-mutants-'))
  cleanup.defer(() => rm(folder, { recursive: true }))
  console.log('the contract as it is')
  const control = await test({ name: 'none', side: 'tests', edit: () => undefined }, source, join(folder, 'control'))
  if (control !== undefined) throw new UsageError(`the suite fails without any change: ${control}`)
  let done = 0
  let survived = 0
  const queue = mutants.entries()
  // All workers iterate one queue, so each takes the next mutant when it is free.
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (const [index, mutant] of queue) {
        const killer = await test(mutant, source, join(folder, String(index)))
        if (killer === undefined) survived++
        const result = killer === undefined ? 'SURVIVED' : 'killed  '
        const count = `${String(++done).padStart(3)}/${String(mutants.length)}`
        const reason = killer === undefined ? '' : `  ← ${killer}`
        console.log(`${count} ${result} ${mutant.side.padEnd(7)} ${mutant.name}${reason}`)
      }
    }),
  )
  const seconds = `${String(Math.round(performance.now() / 1000))} s`
  const killed = `${String(mutants.length - survived)} killed, ${String(survived)} survived`
  console.log(`\n${seconds}, ${String(mutants.length)} mutants, ${killed}`)
  if (survived > 0) process.exitCode = 1
}

function parse(source: string): ContractDocument {
  // `npm run generate` has validated it.
  return parseJsonWithBigInts(source) as ContractDocument
}

/**
 * Runs the contract suite with the changed contract on one side.
 *
 * @param source the text of the contract; a mutant changes it in place after parsing
 * @param copy a new folder for the changed contract
 * @returns the first test that fails, or undefined when all pass
 */
async function test({ side, edit }: Mutant, source: string, copy: string): Promise<string | undefined> {
  const report = join(copy, 'report.json')
  const contract = parse(source)
  edit(contract)
  await mkdir(join(copy, 'generated'), { recursive: true })
  const changed = sealContract({ document: stringifyJson(contract) })
  await writeFile(join(copy, 'generated/contract.ts'), `export const contract = ${JSON.stringify(changed)}\n`)
  const vitest = join(projectFolder, 'node_modules/vitest/vitest.mjs')
  const options = ['--project=sqlite', '--bail=1', '--reporter=json', `--outputFile=${report}`]
  const variable = side === 'tests' ? 'EXPECTED_CONTRACT_FOLDER' : 'SERVED_CONTRACT_FOLDER'
  const passes = await promisify(execFile)(process.execPath, [vitest, 'run', 'test/contract-suite/', ...options], {
    cwd: projectFolder,
    env: { ...process.env, [variable]: copy, CONTRACT_SEED: seed },
    timeout: timeoutMilliseconds,
    maxBuffer: 2 ** 26,
  }).then(
    () => true,
    (error: unknown) => {
      // It has this member.
      if ((error as { killed: boolean }).killed)
        throw new Error(`the suite did not end in ${String(timeoutMilliseconds / 1000)} s`)
      return false
    },
  )
  return passes ? undefined : firstFailure(await readFile(report, 'utf8'))
}

interface Report {
  testResults: { message: string; assertionResults: { status: string; title: string }[] }[]
}

function firstFailure(report: string): string {
  // Written by vitest's reporter of this name.
  const { testResults } = JSON.parse(report) as Report
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed')
  return failed?.title ?? `at the start: ${testResults.map(({ message }) => message.split('\n', 1).join()).join()}`
}
