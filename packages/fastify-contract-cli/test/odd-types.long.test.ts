import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mapMembers } from 'fastify-contract/json'
import { expect, test } from 'vitest'
import { generateFiles } from '../src/generate/generate-files.ts'
import { writePlainTypes } from '../src/generate/write-types.ts'
import { BrokenContract } from '../src/model/yaml/findings.ts'
import { readOpenApi } from '../src/model/read-contract.ts'
import { type TestedContract, readContract } from '../src/suite/ground/contract.ts'
import { attempt } from '../src/suite/ground/no-generator.ts'
import { plainValue } from '../src/suite/draw/plain-value.ts'
import { folderWith } from './contracts.ts'
import { oddContracts } from './odd-contracts.ts'
import { compile, linkPackages, repository } from './run-here.ts'

const settings = {
  extends: join(repository, 'tsconfig.json'),
  compilerOptions: { exactOptionalPropertyTypes: false },
  include: ['*/*.ts'],
  exclude: [],
}

/** A value as an expression. */
function literal(value: unknown, hasBigInts: boolean): string {
  if (typeof value === 'bigint') return hasBigInts ? `${String(value)}n` : String(value)
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, hasBigInts)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, each]) => `[${JSON.stringify(name)}]: ${literal(each, hasBigInts)}`)
  return `{ ${members.join(', ')} }`
}

/** A value, and it without each of its members, and with null in the place of each. */
function* variantsOf(value: unknown): Generator {
  yield value
  yield null
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    const others = Object.entries(value).filter(([other]) => other !== name)
    if (!Array.isArray(value)) yield Object.fromEntries(others)
    for (const variant of variantsOf(member)) {
      if (variant !== member) yield mapMembers(value, (each) => (each === member ? variant : each))
    }
  }
}

function hasNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(hasNull))
}

/** What types say otherwise than the contract, by what is odd in it: they do not depend on values, or on no type. */
const isConditional = /conditions|dependents/
const isNullable = /^(?!.*(?:without a type|beside a reference|unevaluated)).*null/
/** Where the plain types differ: they have no marks, and constants of discriminators. */
const isMarked = /read-only|defaults|discriminat|mapped/

/** Lines that compile: values that the contract allows, and, behind a directive, those that it refuses. */
function usesOf(name: string, source: TestedContract): string[] {
  const { Odd: schema } = source.schemas
  if (schema === undefined) return []
  const lines = new Set<string>()
  const add = (type: string, value: string, isValid: boolean) => {
    lines.add(`${isValid ? '' : '// @ts-expect-error -- the contract refuses it\n'}use<${type}>(${value})`)
  }
  const plainOf = (direction: 'request' | 'response') =>
    [0, 1].flatMap((index) => attempt('', {}, () => [plainValue(schema, { ...source, direction }, index)]) ?? [])
  const isShown = (value: unknown) => isNullable.test(name) || !hasNull(value)
  for (const value of plainOf('request').filter(isShown)) add("Input<'make'>['body']", literal(value, true), true)
  for (const value of plainOf('response').flatMap((plain) => [...variantsOf(plain)])) {
    const isValid = source.problemsOf(value, schema, 'closed').length === 0
    // Undeclared properties are dropped.
    if (!isValid && (isConditional.test(name) || source.problemsOf(value, schema, 'response').length === 0)) continue
    if (isValid && !isShown(value)) continue
    add("Reply<'make'>['body']", literal(value, true), isValid)
    if (!isMarked.test(name)) add('Plain', literal(value, false), isValid)
  }
  return [
    "import type { Input, Reply } from './contract.ts'",
    "import type { components } from './types.ts'",
    "type Plain = components['schemas']['Odd']",
    'declare function use<Type>(value: Type): void',
    "use<Input<'make'> | Reply<'make'> | Plain | undefined>(undefined)",
    ...lines,
  ]
}

test('the types of odd contracts compile, and allow the values that the contracts allow', async () => {
  const root = await folderWith({ 'tsconfig.json': settings, 'package.json': '{ "type": "module" }' })
  await linkPackages(root)
  const contracts = Object.entries(oddContracts())
  const refused: string[] = []
  for (const [index, [name, contract]] of contracts.entries()) {
    const folder = join(root, String(index))
    const source = Buffer.from(JSON.stringify(contract))
    await mkdir(folder)
    await writeFile(join(folder, 'openapi.json'), source)
    try {
      const { files, document } = await generateFiles({ root: folder, contract: 'openapi.json', out: '.' })
      const { pointing } = await readOpenApi(source, join(folder, 'openapi.json'), 'openapi.json')
      files.set('types.ts', writePlainTypes(pointing)).set('use.ts', usesOf(name, readContract(document)).join('\n'))
      for (const [file, text] of files) await writeFile(join(folder, file), text)
    } catch (error) {
      if (!(error instanceof BrokenContract)) throw error
      refused.push(name)
    }
  }
  const errors = (await compile(root)).split('\n').flatMap((line) => {
    const [, index, error = ''] = /^(\d+)\/(.*)/.exec(line) ?? []
    return index === undefined ? [] : [`${String(contracts[Number(index)]?.[0])}: ${error}`]
  })
  expect(errors).toEqual([])
  // A schema that is closed may have no further properties.
  expect(refused.filter((name) => !name.endsWith('of closed object'))).toEqual([])
  expect(contracts.length - refused.length).toBeGreaterThan(300)
}, 300_000)
