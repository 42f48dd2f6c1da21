import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { UnservableContract } from 'fastify-contract'
import { type ContractOperation, basePathsOf, documentOf, sealContract } from 'fastify-contract/document'
import { printable } from 'fastify-contract/json'
import { BrokenContract } from '../model/yaml/findings.ts'
import { readCheckedContract } from '../model/read-contract.ts'
import { readSource } from '../model/yaml/read-file.ts'
import { contractTexts } from '../generate/write-contract.ts'
import { callersOf, numberOf } from './option-values.ts'
import { readContract, routeOf } from '../suite/ground/contract.ts'
import type { Credentials } from '../suite/ground/contract-request.ts'
import { UsageError } from './usage-error.ts'
import { createMock, withoutSuccess } from '../mock/mock.ts'

export const usage = `Usage: fastify-contract mock FILE [OPTION …]

Serves a contract without handlers, until it gets TERM or INT. Requests are validated. A reply is an example of the
contract, or else a valid value. What is posted to a collection is listed, read, changed and deleted.

  --port N          where to listen; 0 is a free port (default: 3000)
  --host ADDRESS    (default: 127.0.0.1)
  --auth SCHEME=CREDENTIALS  credentials that are accepted, as test sends them; repeatable (default: any)
  --body-limit BYTES         of the body of a request (default: 65536)

Request headers: Prefer: code=404 asks for a declared status, Prefer: example=NAME for an example.
A refusal has its reason in the header X-Mock-Reason, and on standard error.`

const text = (value: string) => ({ type: 'string', default: value }) as const
const none: string[] = []
const auth = { type: 'string', multiple: true, default: none } as const
const options = { port: text('3000'), host: text('127.0.0.1'), auth, 'body-limit': text('65536') }

/**
 * Serves a mock until a signal ends it.
 *
 * @returns the exit code
 * @throws BrokenContract, and UsageError if it cannot start
 */
export async function run(args: string[]): Promise<number> {
  const app = await start(args).catch((error: unknown) => {
    throw error instanceof UnservableContract ? new BrokenContract([error.message], { cause: error }) : error
  })
  const signal = new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, resolve)
  })
  await signal
  await app.close()
  return 0
}

/** @throws BrokenContract, UnservableContract, UsageError */
async function start(args: string[]): Promise<FastifyInstance> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [file, ...others] = positionals
  if (file === undefined || others.length > 0) throw new UsageError('give one FILE; see fastify-contract mock --help')
  const port = numberOf('--port', values.port, { max: 65_535 })
  const bodyBytes = numberOf('--body-limit', values['body-limit'], { min: 1, max: 2 ** 31 - 1 })
  const { sealed, hasWarnings } = await readSealed(file)
  const document = documentOf(sealed)
  const app = await createMock(sealed, {
    auth: acceptedOf(callersOf(readContract(document), values.auth)),
    limits: { bodyBytes },
    onContractBroken: (id) => {
      console.error(printable(`cannot generate a valid reply to ${id}; give its responses examples`))
    },
    onRefusal: (line) => {
      console.error(printable(line))
    },
  })
  const address = await listen(app, values.host, port)
  const bases = basePathsOf(document).map((base) => base || '/')
  console.log(address)
  console.log(printable(`base path${bases.length > 1 ? 's' : ''}: ${bases.join(', ')}`))
  console.log(`docs: ${address}/docs`)
  if (hasWarnings) console.error(`the contract has warnings; fastify-contract generate prints them`)
  warnOfSilent(withoutSuccess(sealed))
  return app
}

/** Reads a contract. Only its texts are kept: what reading finds takes several times their memory. @throws BrokenContract */
async function readSealed(file: string) {
  const path = resolve(file)
  // An operation is compiled at its first request.
  const read = await readCheckedContract(readSource(path, file), path, file, { compiles: false })
  return { sealed: sealContract(contractTexts(read)), hasWarnings: read.warnings.length > 0 }
}

/** Warns of the operations that declare no success. */
function warnOfSilent([first, ...others]: readonly ContractOperation[]): void {
  if (first === undefined) return
  const more = others.length > 0 ? ` (and ${String(others.length)} more)` : ''
  console.error(printable(`${routeOf(first)} declares no success, and is answered 204${more}; declare a response`))
}

/** The credentials of all callers by their schemes. */
function acceptedOf(callers: readonly Credentials[]): Record<string, string[]> {
  const names = new Set(callers.flatMap(Object.keys))
  return Object.fromEntries([...names].map((name) => [name, callers.flatMap((caller) => caller[name] ?? [])]))
}

/** @throws UsageError if the address cannot be used */
async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const problems: Record<string, string> = {
      EADDRINUSE: 'is taken; choose another with --port',
      EACCES: 'needs privileges; choose another with --port',
    }
    const problem = problems[code] ?? `cannot be used (${code}); choose another with --host`
    throw new UsageError(`${host}:${String(port)} ${problem}`, { cause: error })
  }
}
