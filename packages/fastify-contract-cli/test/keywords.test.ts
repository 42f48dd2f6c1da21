import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringifyJson } from 'fastify-contract/json'
import { describe, expect, it } from 'vitest'
import { writeTypes } from '../src/generate/write-types.ts'
import { readCheckedContract } from '../src/model/read-contract.ts'
import type { Kind } from '../src/model/rules/keyword.ts'
import { heldBy, keywords } from '../src/model/table/table.ts'
import { rootOf, visit } from '../src/model/mend/visit.ts'
import { formats } from '../src/model/table/schema.ts'
import { contractOf, contractWith, noContent, problemsOf, serve, warningsOf, withSchema } from './contracts.ts'
import { accepted, cases, casesWith, contractOfParts, like, shown, unsatisfiable } from './keyword-cases.ts'

/** The keywords that an object of a contract has, and the objects inside of it. */
function keywordsIn(object: unknown, kind: Kind): string[] {
  if (typeof object !== 'object' || object === null) return []
  const members = object as Record<string, unknown>
  return Object.keys(members).flatMap((name) => {
    const held = heldBy(members, kind, name)
    const inside = held?.names.flatMap((each) => keywordsIn(held.holder[each], held.kind)) ?? []
    return [`${kind}.${Object.hasOwn(keywords[kind], name) ? name : '*'}`, ...inside]
  })
}

const all = Object.entries(keywords).flatMap(([kind, ofKind]) =>
  Object.entries(ofKind).map(([name, keyword]) => ({ name: `${kind}.${name}`, kind, keyword })),
)
const treatmentOf = ({ keyword }: (typeof all)[number]) =>
  keyword.isShown === true
    ? 'shown'
    : typeof keyword.rule === 'object'
      ? keyword.rule.is
      : keyword.isMended === true
        ? 'mended'
        : 'enforced'
const namesOf = (treatment: 'shown' | 'enforced') =>
  all.filter((each) => treatmentOf(each) === treatment).map(({ name }) => name)

describe('each keyword', () => {
  it('has a case for its verdict', () => {
    const inShown = keywordsIn(shown, 'document')
    expect(namesOf('shown').filter((name) => !inShown.includes(name))).toEqual([])
    const inCases = cases.filter(({ taken }) => taken === undefined).map(({ keyword }) => keyword)
    expect(namesOf('enforced').filter((name) => !inCases.includes(name))).toEqual([])
    const known = all.map(({ name }) => name)
    expect(inCases.filter((name) => name !== 'unknown' && !known.includes(name))).toEqual([])
  })

  it('is on the page of keywords with its verdict', () => {
    const page = readFileSync(join(import.meta.dirname, '../../fastify-contract/docs/keywords.md'), 'utf8')
    const listed = page
      .split(/^### /m)
      .slice(1)
      .flatMap((section) => {
        const kind = section.split('\n', 1).join()
        const lines = [...section.matchAll(/^- (enforced|shown|mended|ignored|rejected): ([^]*?)(?=\n- |\n\n|\n*$)/gm)]
        return lines.flatMap(([, treatment, names = '']) =>
          [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `${kind}.${String(name)} ${String(treatment)}`),
        )
      })
    expect(listed.toSorted()).toEqual(all.map((each) => `${each.name} ${treatmentOf(each)}`).toSorted())
    for (const format of formats.keys()) expect(page).toContain(`\`${format}\``)
  })

  const unplaced = (line: string) => line.replaceAll(/openapi\.yaml:[1-9]\d*:[1-9]\d*/g, '<place>')

  it.each(casesWith('refused'))('$keyword is refused: $refused', async ({ refused, column, ...parts }) => {
    const problems = await problemsOf(contractOfParts(parts))
    expect(problems.map(unplaced)).toEqual([expect.stringMatching(like(`<place>: ${refused}`))])
    if (column !== undefined) expect(problems[0]).toMatch(new RegExp(`^openapi\\.yaml:\\d+:${String(column)}: `))
  })

  it.each(casesWith('warned'))('$keyword is warned of: $warned', async ({ warned, ...parts }) => {
    const contract = contractOfParts(parts)
    const warnings = await warningsOf(contract)
    expect(warnings.map(unplaced)).toEqual([expect.stringMatching(like(`<place>: warning: ${warned}`))])
    const strictly = await problemsOf(contract, { strict: true })
    expect(strictly[0]).toBe(warnings[0]?.replace('warning: ', '').replace(/ \(and \d+ more\)$/, ''))
  })

  it.each(casesWith('taken'))('$keyword is taken without a warning: %j', async (parts) => {
    expect(await problemsOf(contractOfParts(parts), { strict: true })).toEqual([])
  })

  it('is named with every media type whose schema is not validated', async () => {
    const content = { 'application/xml': { schema: { type: 'object' } }, 'image/png': { schema: { type: 'object' } } }
    expect(await problemsOf(contractOfParts({ requestBody: { content } }), { strict: true })).toEqual([
      expect.stringMatching(/content: application\/xml is bytes/),
      expect.stringMatching(/content: image\/png is bytes/),
    ])
  })

  it('that leaves something is not said to leave nothing', async () => {
    const properties = Object.fromEntries(accepted.unchanged.map(({ schema }, index) => [`p${String(index)}`, schema]))
    const warnings = await warningsOf(withSchema({ type: 'object', properties }, accepted.schemas))
    expect(warnings.filter((warning) => warning.includes('so that no'))).toEqual([])
  })

  it('that leaves nothing has the type never', async () => {
    const properties = Object.fromEntries(unsatisfiable.map(({ schema }, index) => [`p${String(index)}`, schema]))
    const contract = withSchema({ type: 'object', properties })
    const types = writeTypes(await readCheckedContract(Buffer.from(stringifyJson(contract)), 'openapi.yaml'))
    for (const name of Object.keys(properties)) expect(types).toContain(`${name}?: never`)
  })

  it.each([{ operationId: 'twice' }, { operationId: 'left' }, { operationRef: '#/paths/~1left%3Fa/get' }])(
    'that links to an operation that is not served, or to several, is served without the link: %j',
    async (link) => {
      const contract = contractOf({
        '/things': {
          get: { operationId: 'twice', responses: { 200: { description: 'Done.', links: { next: link } } } },
        },
        '/parts': { get: { operationId: 'twice', responses: noContent } },
        '/left?a': { get: { operationId: 'left', responses: noContent } },
      })
      expect(await warningsOf(contract)).toContainEqual(
        expect.stringContaining(
          `: the link leads to ${Object.values(link).join()}, which is not exactly one operation that is served, and is ignored; `,
        ),
      )
    },
  )

  const constant = all.flatMap(({ name, kind, keyword: { rule } }) =>
    typeof rule === 'object' ? [{ name, kind, verdict: rule }] : [],
  )

  it.each(constant)(
    '$name is refused or ignored with its place and a remedy, whatever its value',
    async ({ kind, verdict: { is, text }, name }) => {
      const contract = structuredClone(shown)
      const member = name.slice(kind.length + 1)
      const { object } = [...visit([rootOf(contract)])].find((each) => each.kind === kind && !('$ref' in each.object))!
      for (const value of [null, {}]) {
        object[member] = value
        const problems = await problemsOf(contract, { strict: true })
        expect(problems).toContainEqual(expect.stringMatching(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /))
        expect(problems.join('\n')).toContain(`: ${member}: ${text}`)
        if (is === 'ignored') expect(await problemsOf(contract)).toEqual([])
      }
    },
  )

  // An operationId that is no text is replaced.
  const formed = all.filter(({ name, keyword: { is, holds, isShown } }) => {
    return name !== 'operation.operationId' && (is !== undefined || (holds !== undefined && isShown !== true))
  })

  it.each(formed)('$name is refused where its value has another form', async ({ kind, keyword, name }) => {
    const contract = structuredClone(shown)
    const member = name.slice(kind.length + 1)
    const { object } = [...visit([rootOf(contract)])].find((each) => each.kind === kind && !('$ref' in each.object))!
    object[member] = keyword.is === 'text' ? 5 : 'text'
    const problems = await problemsOf(contract, { strict: true })
    expect(problems).toContainEqual(expect.stringMatching(/^openapi\.yaml:[1-9]\d*:[1-9]\d*: /))
    expect(problems.join('\n')).toContain(`: ${member}: `)
  })

  it('that is shown is accepted and served unchanged', async () => {
    const send = await serve(shown, {
      listThings: () => ({ status: 200, body: 'a' }),
      createThing: () => ({ status: 204 }),
      sendForm: () => ({ status: 204 }),
    })
    const { text: answer } = await send({ method: 'GET', url: '/openapi.json' })
    expect(JSON.parse(answer)).toEqual(JSON.parse(JSON.stringify(shown)))
  })

  it('of a merge key of YAML is warned of once', async () => {
    const contract = stringifyJson(contractWith({}), 1)
      .replace(/^\{/, '{ "x-base": &base { in: query, schema: { type: string } },')
      .replace(
        '"operationId"',
        '"parameters": [{ <<: *base, name: a }, { !!merge <<: *base, name: b }],\n "operationId"',
      )
    const text = '<<: is of YAML 1.1, and other tools may not read it; write out the members, or use $ref'
    expect(await warningsOf(contract)).toEqual([`openapi.yaml:15:22: warning: ${text} (and 1 more)`])
    expect(await problemsOf(contract, { strict: true })).toHaveLength(2)
    const send = await serve(contract, { listThings: () => ({ status: 204 }) })
    expect((await send({ method: 'GET', url: '/things?a=1&b=2' })).status).toBe(204)
    expect((await send({ method: 'GET', url: '/things?c=1' })).status).toBe(400)
  })

  it('security of a path item counts for its operations that have none', async () => {
    const operation = (operationId: string, more: object = {}) => ({ operationId, responses: noContent, ...more })
    const open = { security: [], get: operation('open'), put: operation('closed', { security: [{ bearer: [] }] }) }
    const closed = { security: [{ bearer: [] }], additionalOperations: { COPY: operation('copy') } }
    const paths = {
      '/open': open,
      '/closed': closed,
      '/component': { $ref: '#/components/pathItems/A' },
      '/overridden': { $ref: '#/components/pathItems/A', security: [] },
    }
    const A = { security: [{ bearer: [] }], get: { responses: noContent } }
    const contract = contractOf(paths, { security: [], components: { pathItems: { A } } })
    const done = () => ({ status: 204 })
    const handlers = { open: done, closed: done, copy: done, 'GET /component': done, 'GET /overridden': done }
    const send = await serve(contract, handlers)
    const statusOf = async (method: string, url: string) =>
      (await send({ method, url, headers: { authorization: '' } })).status
    expect(await statusOf('GET', '/open')).toBe(204)
    expect(await statusOf('PUT', '/open')).toBe(401)
    expect(await statusOf('COPY', '/closed')).toBe(401)
    expect(await statusOf('GET', '/component')).toBe(401)
    expect(await statusOf('GET', '/overridden')).toBe(204)
    // Swagger UI does not know it.
    const { text: page } = await send({ method: 'GET', url: '/docs/static/swagger-initializer.js' })
    expect(page).toContain('"get":{"security":[],"operationId":"open"')
    expect(page).toContain('"A":{"get":{"security":[{"bearer":[]}]')
  })
})
