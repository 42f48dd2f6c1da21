import { isObject } from 'fastify-contract/json'
import { accessProblem } from '../rules/access.ts'
import { externalDocs } from './external-docs.ts'
import { type Keywords, each, ignore, lacking, reject, shown, warn } from '../rules/keyword.ts'
import { securityRule } from './security-scheme.ts'
import { membersOf } from '../yaml/node.ts'

export const document: Keywords = {
  openapi: { is: 'text' },
  // References by it have become JSON Pointers.
  $self: {
    is: 'text',
    rule: (uri) =>
      String(uri).includes('#') ? reject('has a fragment; give the URI of the whole document') : undefined,
  },
  info: { holds: 'info', isRequired: true },
  servers: { holds: ['server'] },
  paths: { holds: { each: 'pathItem' } },
  security: { rule: securityRule },
  jsonSchemaDialect: {
    rule: (value) =>
      value === 'https://spec.openapis.org/oas/3.1/dialect/base'
        ? undefined
        : ignore('the dialect is always that of OpenAPI 3.1; remove it'),
  },
  ...shown('webhooks', { each: 'pathItem' }),
  components: { holds: 'components' },
  tags: { isShown: true, rule: (tags) => [reject(accessOfTag(tags)), warn(unnamedTag(tags) ?? lostParent(tags))] },
  externalDocs,
  ...shown('x-unmatched-responses', { each: 'response' }),
}

export const info: Keywords = {
  ...each('title version', { is: 'text', isRequired: true }),
  ...shown('summary description termsOfService contact'),
  license: { isShown: true, rule: (license) => warn(lacking(license, 'name')) },
}

export const server: Keywords = {
  url: { is: 'text', isRequired: true },
  ...shown('name description'),
  variables: { isShown: true, rule: (variables) => [reject(emptyEnum(variables)), warn(noDefault(variables))] },
}

/** The problem of a tag that has a member about access. */
function accessOfTag(tags: unknown): string | undefined {
  const fields = ['name', 'summary', 'description', 'externalDocs', 'parent', 'kind']
  for (const name of Array.isArray(tags) ? tags.filter(isObject).flatMap(Object.keys) : []) {
    const problem = fields.includes(name) ? undefined : accessProblem(name, fields)
    if (problem !== undefined) return `${name} is not a keyword of a tag, and ${problem}`
  }
  return undefined
}

/** The problem of a tag whose parent is not a tag, or is below it (OpenAPI 3.2, section 4.23). */
function lostParent(tags: unknown): string | undefined {
  const all = Array.isArray(tags) ? tags.filter(isObject) : []
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const parents = new Map(all.map(({ name, parent }) => [textOf(name), textOf(parent)]))
  for (const [name, first] of parents) {
    const visited = new Set([name])
    for (let parent = first; parent !== undefined; parent = parents.get(parent)) {
      if (!parents.has(parent)) return `the parent ${parent} of ${String(name)} is not a tag; add it`
      if (visited.has(parent)) return `${String(name)} is its own parent; remove one of the parents`
      visited.add(parent)
    }
  }
  return undefined
}

/** The problem of a tag without a name of its own. */
function unnamedTag(tags: unknown): string | undefined {
  if (!Array.isArray(tags)) return 'is not a list; write one'
  const visited = new Set<unknown>()
  for (const tag of tags) {
    const problem = lacking(tag, 'name')
    if (problem !== undefined) return problem
    const { name } = tag as { name: unknown }
    if (visited.has(name)) return `${String(name)} is listed twice; remove one of them`
    visited.add(name)
  }
  return undefined
}

function noDefault(variables: unknown): string | undefined {
  for (const [name, variable] of Object.entries(membersOf(variables))) {
    const problem = lacking(variable, 'default')
    if (problem !== undefined) return `of ${name}, ${problem}`
  }
  return undefined
}

function emptyEnum(variables: unknown): string | undefined {
  const [name] =
    Object.entries(membersOf(variables)).find(
      ([, variable]) => isObject(variable) && Array.isArray(variable['enum']) && variable['enum'].length === 0,
    ) ?? []
  return name === undefined ? undefined : `the enum of ${name} is empty; name its values, or remove it`
}
