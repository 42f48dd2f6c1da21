import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { printable } from 'fastify-contract/json'
import { UsageError, readArguments } from '../../scripts/command.ts'
import { nodeBinary, projectFolder, startProcess } from '../../test/support/server/start-process.ts'
import { box } from './box.ts'
import { github } from './github.ts'
import { kubernetes } from './kubernetes.ts'
import { mistral } from './mistral.ts'
import { openai } from './openai.ts'
import { qdrant } from './qdrant.ts'
import { resend } from './resend.ts'
import { type OfficialClient, Steps, at } from './steps.ts'
import { stripe } from './stripe.ts'
import { twilio } from './twilio.ts'

const clients: readonly OfficialClient[] = [box, github, kubernetes, mistral, openai, qdrant, resend, stripe, twilio]

const usage = `Usage: npm run bench -- clients FOLDER [--only TEXT]
         goes the steps of official clients of npm with the mock of each company's contract in FOLDER, and prints what is
         wrong; the exit code is 1 when a step is

  --only TEXT  only packages with this text in their name

Clients, and the contracts that FOLDER has for them:
${clients.map((client) => `  ${client.package.padEnd(34)} ${client.contract}`).join('\n')}`

export async function run(args: string[]): Promise<void> {
  const options = { only: { type: 'string' } } as const
  const { values, positionals } = readArguments(usage, { args, options, allowPositionals: true })
  const [contracts, ...others] = positionals
  if (contracts === undefined || others.length > 0) throw new UsageError(usage)
  const chosen = clients.filter((client) => client.package.includes(values.only ?? ''))
  const missing = chosen.map(({ contract }) => resolve(contracts, contract)).find((file) => !existsSync(file))
  if (missing !== undefined) throw new UsageError(`${missing} is missing\n${usage}`)
  const folder = await mkdtemp(join(tmpdir(), 'clients-'))
  try {
    const modules = await install(folder, chosen)
    for (const [index, client] of chosen.entries())
      report(client, await stepsOf(client, resolve(contracts, client.contract), at(modules, `client${String(index)}`)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Installs the packages. @returns what they export, as `client0`, `client1` … */
async function install(folder: string, chosen: readonly OfficialClient[]): Promise<unknown> {
  const packages = chosen.map((client) => client.package)
  const arguments_ = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--prefix', folder]
  execFileSync('npm', [...arguments_, ...packages], { stdio: ['ignore', 'ignore', 'inherit'] })
  const names = packages.map((name) => name.slice(0, name.lastIndexOf('@')))
  const lines = names.map((name, index) => `export * as client${String(index)} from ${JSON.stringify(name)}`)
  const file = join(folder, 'clients.mjs')
  await writeFile(file, lines.join('\n'))
  return await import(pathToFileURL(file).href)
}

/** Goes the steps of a client with a mock of its own. */
export async function stepsOf(client: OfficialClient, contract: string, module: unknown): Promise<Steps> {
  const command = join(projectFolder, 'packages/fastify-contract-cli/src/cli.ts')
  await using mock = await startProcess({}, [nodeBinary, command, 'mock', contract, '--port', '0'])
  const steps = new Steps()
  await client.run(steps, mock.origin, module)
  return steps
}

function report(client: OfficialClient, { outcomes }: Steps): void {
  if (outcomes.some(({ verdict }) => verdict === 'wrong')) process.exitCode = 1
  const ok = outcomes.filter(({ verdict }) => verdict === 'ok').length
  console.log(`${client.package}: ${String(ok)} of ${String(outcomes.length)} steps are right`)
  for (const { step, verdict, why } of outcomes)
    console.log(printable(`  ${verdict.padEnd(12)} ${step}${why === '' ? '' : `: ${why}`}`))
}
