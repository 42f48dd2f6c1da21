import type { ContractDocument, ContractOperation } from 'fastify-contract/document'
import { type SecurityScheme, alternativesOf, requiredSchemesOf } from 'fastify-contract/security'
import { comment, propertyName, quoted } from './typescript.ts'

/** The exact versions of what a new service installs. */
export const versions = {
  dependencies: { fastify: '5.12.8', pino: '10.4.0' },
  devDependencies: { '@types/node': '24.19.2', typescript: '5.9.3' },
}

/** What a new service is made of. */
export interface Service {
  name: string
  /** The file name of the contract. */
  contract: string
  /** The version of both packages. */
  version: string
  document: ContractDocument
  operations: readonly ContractOperation[]
  /** Whether it has src/failure-form.ts. */
  hasForm: boolean
}

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

export function packageJson({ name, contract, version }: Service): string {
  const option = contract === 'openapi.yaml' ? '' : ` --contract ${shellQuoted(contract)}`
  return json({
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: {
      start: 'node src/server.ts',
      dev: 'node --watch src/server.ts',
      generate: `fastify-contract generate${option}`,
      check: `fastify-contract generate${option} --check && tsc`,
      test: 'npm run -s check && node --test',
    },
    dependencies: { ...versions.dependencies, 'fastify-contract': version },
    devDependencies: { ...versions.devDependencies, 'fastify-contract-cli': version },
  })
}

function shellQuoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

export const tsconfig = json({
  compilerOptions: {
    module: 'nodenext',
    target: 'esnext',
    types: ['node'],
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  include: ['src', 'generated', 'test'],
})

/** A line for each operation, with its route and summary. */
export function handlers({ operations }: Service): string {
  const lines = operations.map(({ id, method, path, object: { summary = '' } }) => {
    const route = `${method.toUpperCase()} ${path}`
    const about = [id === route ? '' : route, summary].filter((part) => part !== '').join(': ')
    return `  ${propertyName(id)}: notImplemented,${about === '' ? '' : ` // ${comment(about)}`}\n`
  })
  return `import { notImplemented } from 'fastify-contract'
import type { Handlers } from '../generated/contract.ts'

/** The handler of each operation. It gets the valid request, and returns a declared status with its body. */
export const handlers: Handlers = {
${lines.join('')}}
`
}

/** A verifier for each security scheme, of a secret in an environment variable. */
export function auth(service: Service): string {
  const schemes = [...schemesOf(service)]
  const lines = schemes.map(([name, { kind }]) => {
    const verify = `isSecret(${kind === 'basic' ? 'password' : 'text'}, ${quoted(variableOf(name))})`
    return `  ${propertyName(name)}: (${kind === 'basic' ? '{ user, password }' : 'text'}) => ${verify} ? ${foundBy(service, name, kind)} : undefined,\n`
  })
  return `import { hash } from 'node:crypto'
import type { Auth } from '../generated/contract.ts'

/**
 * Who sends the credentials of a security scheme; undefined for nobody. Handlers get it as context.auth. Replace the
 * secrets in environment variables by your own check.
 */
export const auth = {
${lines.join('')}} satisfies Auth

/** Whether a text is the secret in an environment variable. Hashes reveal nothing by the time that a comparison takes. */
function isSecret(text: string, variable: string): boolean {
  const secret = process.env[variable]
  return secret !== undefined && hash('sha256', text) === hash('sha256', secret)
}
`
}

function foundBy({ operations }: Service, name: string, kind: SecurityScheme['kind']): string {
  const asksForScopes = operations.some((operation) =>
    alternativesOf(operation).some((required) =>
      required.some(({ scheme, scopes }) => scheme === name && scopes.length > 0),
    ),
  )
  const user = kind === 'basic' ? 'user' : "user: 'me'"
  return asksForScopes ? `{ ${user}, scopes: 'all' as const }` : `{ ${user} }`
}

/** The environment variable with the secret of a scheme. */
function variableOf(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/g, '_').toUpperCase()
}

function schemesOf({ document, operations }: Service): Map<string, SecurityScheme> {
  return requiredSchemesOf(document, operations)
}

/** Whether the service has src/auth.ts. */
export function hasAuth(service: Service): boolean {
  return schemesOf(service).size > 0
}

export function app(service: Service): string {
  const parts = ['handlers', ...(hasAuth(service) ? ['auth'] : []), ...(service.hasForm ? ['failureForm'] : [])]
  const files: Record<string, string> = { auth: 'auth', failureForm: 'failure-form', handlers: 'handlers' }
  const imports = parts.toSorted().map((name) => `import { ${name} } from './${String(files[name])}.ts'\n`)
  return `import type { FastifyBaseLogger } from 'fastify'
import { serve } from 'fastify-contract'
import { contract } from '../generated/contract.ts'
${imports.join('')}
/** Builds the server, ready to listen. */
export function buildApp(logger?: FastifyBaseLogger) {
  return serve(contract, { ${[...parts, 'logger'].join(', ')} })
}
`
}

export const server = `import { pino } from 'pino'
import { buildApp } from './app.ts'

const app = await buildApp(pino({ level: 'warn' }))
console.log(await app.listen({ port: Number(process.env['PORT'] ?? 3000) }))
`

export function test(service: Service): string {
  const schemes = [...schemesOf(service)]
  const secret = 'secret'
  const credentials: Record<SecurityScheme['kind'], string> = {
    bearer: `Bearer ${secret}`,
    jwt: `Bearer ${secret}`,
    basic: `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`,
    apiKey: secret,
    http: secret,
  }
  const known = schemes.map(([name, { kind }]) => `${propertyName(name)}: ${quoted(credentials[kind])}`)
  const secrets = schemes.map(([name]) => `process.env[${quoted(variableOf(name))}] = ${quoted(secret)}\n`)
  const auth = known.length === 0 ? '' : `, auth: { ${known.join(', ')} }`
  return `import { after, test } from 'node:test'
import { parseJsonWithBigInts } from 'fastify-contract/json'
import { createContractSuite, readContract } from 'fastify-contract-cli/suite'
import { contract } from '../generated/contract.ts'
import { buildApp } from '../src/app.ts'

${secrets.join('')}${secrets.length === 0 ? '' : '\n'}const app = await buildApp()
const server = await app.listen({ host: '127.0.0.1', port: 0 })
const suite = createContractSuite({ contract: readContract(parseJsonWithBigInts(contract.document)), server${auth} })
after(async () => {
  await suite.close()
  await app.close()
})

/** The server keeps its contract. What needs a handler that is not written yet is skipped. */
for (const { title, run } of suite.cases()) {
  test(title, async (context) => {
    const result = await run()
    if (result.verdict === 'left out') context.skip(result.reason)
    if (result.verdict === 'not implemented') context.skip('not implemented')
    if (result.verdict === 'fault') throw new Error([result.problem, result.counterexample?.shown].join('\\n'))
  })
}
`
}
