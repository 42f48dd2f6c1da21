import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { init } from '../src/init/init.ts'
import { contractOf, failures, folderWith, json } from './contracts.ts'

const int64 = { type: 'integer', format: 'int64' }
const code = 'export const injected = (globalThis.injected = 1)'

// Ends a comment, each kind of string and a type, if it is not escaped, and escapes the end of a string.
const ending = `*/ '"\`\${(globalThis.injected = 1)}\\'; b: 1 }; ${code}; /*\\`

/** Texts that would become code if nothing escaped them, after one that would not. */
const texts = ['plain', ending, `${ending}\n${code}\u2028${code}`, '@ts-expect-error', '__proto__', '']

/** Contracts with a text at one place. Most places take any text, some are refused with some, two with all. */
const places: Record<string, (text: string) => object> = {
  'info.title': (text) => contractOf(operation(), { info: { title: text, version: '1.0.0', description: text } }),
  operationId: (text) => contractOf(operation({ operationId: text })),
  'summary and description of an operation': (text) =>
    contractOf(operation({ summary: text, description: text, tags: [text] })),
  'a path': (text) => contractOf({ [`/things${text}/{id}`]: operation()['/things/{id}'] }),
  'a parameter': (text) =>
    contractOf(operation({ parameters: [{ name: text, in: 'query', schema: { type: 'string', default: text } }, id] })),
  'a header': (text) => contractOf(operation({}, { headers: { [text]: { schema: { type: 'string' } } } })),
  'a media type': (text) => contractOf(operation({}, { content: { [text]: {} } })),
  'a status': (text) => contractOf(operation({ responses: { [text]: { description: text }, ...failures } })),
  'a name of a component': (text) =>
    contractOf(operation(), { components: { schemas: named(text), responses: named(text, { description: text }) } }),
  'a property': (text) => withThing({ type: 'object', required: [text], properties: named(text) }),
  'a property with an int64': (text) => withThing({ type: 'object', properties: { a: int64, ...named(text, int64) } }),
  'a property with a mark': (text) =>
    withThing({
      type: 'object',
      properties: named(text, { type: 'string', default: text, title: text, description: text, examples: [text] }),
    }),
  'a title': (text) => withThing({ type: 'object', properties: { a: { type: 'string', title: text } } }),
  'an enum': (text) => withThing({ type: 'string', enum: [text] }),
  'a const': (text) => withThing({ const: { [text]: [text] } }),
  'a pattern': (text) => withThing({ type: 'string', pattern: `^a${text}` }),
  'what tells alternatives apart': (text) =>
    withThing({ anyOf: [{ type: 'object', properties: { kind: { const: text }, n: int64 } }, { type: 'null' }] }),
  'a reference into an extension': (text) =>
    contractOf(operation({ responses: { 404: { $ref: `#/${pointer(`x-${text}`)}/a` }, ...failures } }), {
      [`x-${text}`]: { a: { description: 'Gone.' } },
    }),
}

const id = { name: 'id', in: 'path', required: true, schema: int64 }

function operation(more: object = {}, response: object = {}) {
  const content = json({ $ref: '#/components/schemas/Error' })
  const responses = { 200: { description: 'The thing.', content, ...response }, ...failures }
  return { '/things/{id}': { get: { operationId: 'getThing', parameters: [id], responses, ...more } } }
}

function withThing(schema: object) {
  const thing = operation({}, { content: json({ $ref: '#/components/schemas/Thing' }) })
  return contractOf(thing, { components: { schemas: { Thing: schema } } })
}

function named(text: string, member: object = { type: 'string' }) {
  return Object.fromEntries([[text, member]])
}

function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('%', '%25')
}

/** What the parser of TypeScript notes of a file, beside its statements. */
interface Parsed {
  parseDiagnostics: { messageText: unknown }[]
  commentDirectives?: unknown[]
}

function parse(file: string, text: string) {
  // Both members are there, though not in the types.
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest) as unknown as ts.SourceFile & Parsed
  const faults = source.parseDiagnostics.map(({ messageText }) => messageText)
  const names = source.statements.flatMap((statement) =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => (ts.isIdentifier(name) ? name.text : '?'))
      : ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
        ? [statement.name.text]
        : ts.isImportDeclaration(statement) || ts.isFunctionDeclaration(statement)
          ? []
          : ['?'],
  )
  return { names, faults: [...faults, ...(source.commentDirectives ?? [])] }
}

const ofTypes = ['$Default', '$Read', '$Write', '$Choice', 'paths', 'webhooks', 'components', '$defs', 'operations']
const ofContract = ['Types', 'OperationId', 'Schemas', 'Input', 'Reply', 'Context', 'Handlers', 'Auth', 'contract']
const ofService = ['handlers', 'auth', 'isSecret', 'secrets', 'failureForm', 'buildApp']
const expectedNames = [...ofTypes, 'schemes', 'security', ...ofContract, ...ofService]

describe('no text of a contract becomes code of generated files or of a service:', () => {
  it.each(Object.entries(places))('%s', async (place, contractWith) => {
    let taken = 0
    for (const text of texts) {
      const root = await folderWith({ 'openapi.yaml': contractWith(text) })
      const { ok, lines } = await init(root, 'openapi.yaml', 'service')
      for (const line of lines.join('\n').split('\n')) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      if (!ok) {
        expect(lines[0]).toMatch(/^openapi\.yaml:\d+:\d+: /)
        continue
      }
      taken++
      const generated = ['service/generated/contract.ts', 'service/generated/openapi.ts']
      const code = ['handlers', 'auth', 'failure-form', 'app'].map((name) => `service/src/${name}.ts`)
      for (const file of [...generated, ...code]) {
        const { names, faults } = parse(file, await readFile(join(root, file), 'utf8'))
        expect(faults, `${file} with ${text}`).toEqual([])
        expect(names.filter((name) => !expectedNames.includes(name))).toEqual([])
      }
      for (const file of generated) await import(join(root, file))
      expect(globalThis).not.toHaveProperty('injected')
    }
    expect(taken > 0).toBe(place !== 'a status')
  })
})
