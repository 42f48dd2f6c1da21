import { type ContractDocument, type ContractTexts, sealContract } from 'fastify-contract/document'
import { findChange } from './find-change.ts'
import { printJson } from './print-json.ts'
import { writeNamedValues } from './write-named-values.ts'

/** The texts of a checked contract. */
export function contractTexts({ written, document }: { written: unknown; document: ContractDocument }): ContractTexts {
  const change = findChange(written, document)
  return { document: printJson(written), ...(change === undefined ? {} : { changes: printJson(change) }) }
}

/**
 * Writes `contract.ts`: the types by the names that handlers use, and the contract as text. The types are erased when Node
 * loads it, so it does not import those of openapi.ts.
 */
export function writeContract(texts: ContractTexts, document: ContractDocument): string {
  const sealed: Record<string, Member> = { ...sealContract(texts) }
  const members = Object.entries(sealed).map(([name, value]) => `  ${name}: ${literal(value)},\n`)
  return `import type * as library from 'fastify-contract'
import type { components, operations, schemes, security } from './openapi.ts'

/** The types of the contract. */
export interface Types {
  operations: operations
  schemes: schemes
  security: security
}
export type OperationId = keyof operations
/** The named schemas in responses. */
export type Schemas = library.Schemas<components>
/** What the handler of an operation receives. */
export type Input<Id extends OperationId> = library.Input<operations[Id]>
/** What it returns. */
export type Reply<Id extends OperationId> = library.Reply<operations[Id]>
/** What it receives besides. */
export type Context<Id extends OperationId, Services = unknown, Results = library.Found<Auth>> = library.Context<
  Services,
  security[Id],
  Results
>
/** A handler for each operation. \`Services\` are those of \`serve\`; \`Results\` is \`Found<typeof auth>\`. */
export type Handlers<Services = unknown, Results = library.Found<Auth>> = library.Handlers<Types, Services, Results>
/** A verifier for each security scheme. */
export type Auth = library.Auth<schemes>

export const contract: library.Contract<Types> = {
  folder: import.meta.dirname,
${members.join('')}}
${writeNamedValues(document)}`
}

type Member = string | Readonly<Record<string, string>>

/** A TypeScript expression. Text has its lines, so that changes can be reviewed. */
function literal(value: Member): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  // A template would read a carriage return as a line feed.
  const escaped = value.replaceAll(/[\\`]|\$\{/g, String.raw`\$&`).replaceAll('\r', String.raw`\r`)
  return value.includes('\n') ? `\`${escaped}\`` : JSON.stringify(value)
}
