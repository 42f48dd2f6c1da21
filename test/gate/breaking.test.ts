import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { judgeChanges } from '../../scripts/develop/breaking/judge-changes.ts'
import { type Change, compareContracts } from '../../scripts/develop/breaking/compare-contracts.ts'
import { type Edit, commit, copyProject, copyReleasedProject, cut, git, replace } from './project-copy.ts'

type Case = [title: string, edit: Edit, verdict: 'breaking' | 'safe', change: RegExp]

const contract = await readFile(join(import.meta.dirname, '../../openapi.yaml'), 'utf8')

/** Edits that do not touch each other, so that one comparison judges them all. */
const groups: Record<string, Case[]> = {
  'what is removed': [
    ['an operation', cut('    post:\n', '  /plants/{id}:'), 'breaking', /Operation `POST \/plants` was removed/],
    ['a path', cut('  /plants/{id}:\n', 'x-unmatched-responses'), 'breaking', /Path `\/plants\/\{id\}` was removed/],
    [
      'all parameters of an operation',
      cut('      parameters:\n        - name: limit', '      responses:'),
      'breaking',
      /GET \/plants parameters: All parameters were removed/,
    ],
    [
      'a response property',
      cut('        tag:\n          description: |\n            The type of the plant', '    NewPlant:'),
      'breaking',
      /Property `tag` of `Plant` was removed/,
    ],
    [
      'a response header',
      cut('        Retry-After:\n          $ref', '      content:'),
      'breaking',
      /Response header `Retry-After` was removed/,
    ],
    [
      'an answer to requests that match no operation',
      cut("  '405':\n", "  '408':"),
      'breaking',
      /x-unmatched-responses\/405: the answer to requests that match no operation changed/,
    ],
    [
      'a value of a response enum',
      cut('            - 50300\n', '          x-enum-varnames'),
      'safe',
      /properties\/error: enum/,
    ],
  ],
  'what is narrowed in requests and widened in responses': [
    [
      'a parameter that becomes required',
      replace('          required: false', '          required: true'),
      'breaking',
      /`limit` query parameter became required/,
    ],
    [
      'an upper bound of a parameter',
      replace('            maximum: 2147483647', '            maximum: 1000'),
      'breaking',
      /Upper bound changed from '<= 2147483647' to '<= 1000'/,
    ],
    [
      'a lower bound of a parameter',
      replace('            minimum: 0\n', '            minimum: 1\n'),
      'breaking',
      /Lower bound changed from '>= 0' to '>= 1'/,
    ],
    [
      'a new required property of a request',
      replace(
        '          required: [id]\n          properties:\n',
        '          required: [id, colour]\n          properties:\n            colour:\n              type: string\n',
      ),
      'breaking',
      /Properties became required: `colour`/,
    ],
    [
      'a pattern of a property',
      replace("          pattern: '^[^\\u0000\\uD800-\\uDFFF]*$'", "          pattern: '^[a-z]*$'"),
      'breaking',
      /`pattern` of `name` changed/,
    ],
    [
      'the type of a response property',
      replace(
        'Texts may change; `error` does not.\n          type: string',
        "Texts may change; `error` does not.\n          type: [string, 'null']",
      ),
      'breaking',
      /Type of `message` widened from 'string' to 'string \| null'/,
    ],
    [
      'a value that a response enum gains',
      replace('            - 50300\n', '            - 50300\n            - 50301\n'),
      'breaking',
      /Enum of `error` gained values: '50301'/,
    ],
    [
      'a response property that need not be there any more',
      replace('required: [error, message]', 'required: [error]'),
      'breaking',
      /no longer required: `message`/,
    ],
    [
      'a required body where there was none',
      replace(
        "      responses:\n        '204':",
        "      requestBody:\n        required: true\n        content:\n          application/json:\n            schema:\n              type: object\n      responses:\n        '204':",
      ),
      'breaking',
      /DELETE \/plants\/\{id\} requestBody: a required body was added/,
    ],
    [
      'a success that becomes another',
      replace("        '204':\n", "        '202':\n"),
      'breaking',
      /Response `204` became `202`/,
    ],
    [
      'a response header that need not be there any more',
      replace('      required: true\n      schema:\n        type: integer', '      schema:\n        type: integer'),
      'breaking',
      /Retry-After: the header need not be there any more/,
    ],
    [
      'a property that requests may not have any more',
      replace('              format: int64\n', '              format: int64\n              readOnly: true\n'),
      'breaking',
      /properties\/id: readOnly was modified/,
    ],
    [
      'another operationId',
      replace('operationId: listPlants', 'operationId: findPlants'),
      'breaking',
      /`operationId` of operation `GET \/plants` changed from 'listPlants' to 'findPlants'/,
    ],
    [
      'the credentials of one operation',
      replace(
        '      operationId: createPlant\n',
        '      operationId: createPlant\n      security:\n        - bearer: []\n          key: []\n',
      ),
      'breaking',
      /POST \/plants: requires bearer and key instead of bearer/,
    ],
  ],
  'what is narrowed in a type or an enum of a request': [
    [
      'a type',
      replace('              type: integer\n              format: int64', '              type: string'),
      'breaking',
      /Type of `id` narrowed from 'integer' to 'string'/,
    ],
    [
      'an enum',
      replace('            maximum: 2147483647\n', '            maximum: 2147483647\n            enum: [1, 2]\n'),
      'breaking',
      /Enum was set to '1', '2'/,
    ],
    [
      'a bound of a text',
      replace('          maxLength: 255', '          maxLength: 100'),
      'breaking',
      /`maxLength` of `name` changed from '255' to '100'/,
    ],
    [
      'the credentials of every operation, which are required no more',
      cut('security:\n', 'tags:'),
      'breaking',
      /DELETE \/plants\/\{id\}: requires no credentials instead of bearer/,
    ],
  ],
  'what takes another form': [
    [
      'a parameter that is renamed',
      replace('        - name: limit', '        - name: max'),
      'breaking',
      /`limit` query parameter was renamed to `max`/,
    ],
    [
      'a media type',
      replace(
        "          application/json:\n            schema:\n              $ref: '#/components/schemas/NewPlant'",
        "          text/plain:\n            schema:\n              $ref: '#/components/schemas/NewPlant'",
      ),
      'breaking',
      /Media type `application\/json` was removed/,
    ],
  ],
  'what is added, loosened or reworded': [
    [
      'an optional parameter',
      replace(
        '        - name: limit\n',
        '        - name: tag\n          in: query\n          schema:\n            type: string\n        - name: limit\n',
      ),
      'safe',
      /GET \/plants parameters\/0: added/,
    ],
    [
      'a lower bound of a parameter',
      replace('            minimum: 0\n', ''),
      'safe',
      /parameters\/\d\/schema: minimum from 0 to none/,
    ],
    [
      'an optional property of a request',
      replace(
        '          required: [id]\n          properties:\n',
        '          required: [id]\n          properties:\n            note:\n              type: string\n',
      ),
      'safe',
      /properties\/note: added/,
    ],
    [
      'a body that becomes optional',
      replace(
        '        description: The plant to create.\n        required: true',
        '        description: The plant to create.\n        required: false',
      ),
      'safe',
      /POST \/plants requestBody: required from true to false/,
    ],
    [
      'another status of failure',
      replace(
        "        '409':\n",
        "        '404':\n          $ref: '#/components/responses/NotFound'\n        '409':\n",
      ),
      'safe',
      /POST \/plants responses\/404: added/,
    ],
    [
      'a further way to be known',
      replace('  - bearer: []\n', '  - bearer: []\n  - key: []\n'),
      'safe',
      /GET \/plants: requires bearer or key instead of bearer/,
    ],
    [
      'a summary',
      replace('summary: Create a plant', 'summary: Create one plant'),
      'safe',
      /POST \/plants: summary from "Create a plant" to "Create one plant"/,
    ],
  ],
}

describe.for(Object.entries(groups))('%s', ([, cases]) => {
  let changes: Change[] = []
  beforeAll(async () => {
    const edited = cases.reduce((text, [title, edit]) => {
      const after = edit(text)
      if (after === text) throw new Error(`${title}: the edit does not find its place`)
      return after
    }, contract)
    changes = (await compareContracts(contract, edited, 'before')).changes
  })

  test.for(cases)('%s', ([, , verdict, pattern]) => {
    const found = changes.filter(({ text }) => pattern.test(text))
    expect(
      found.map(({ breaks }) => (breaks ? 'breaking' : 'safe')),
      changes.map(({ text }) => text).join('\n'),
    ).toContain(verdict)
    expect(new Set(found.map(({ breaks }) => breaks)).size).toBe(1)
  })
})

test('security that is written in another place and requires the same is no change', async () => {
  const repeated = replace(
    '      operationId: listPlants\n',
    '      operationId: listPlants\n      security:\n        - bearer: []\n',
  )(contract)
  expect((await compareContracts(contract, repeated, 'before')).changes).toEqual([])
})

test('a bound that changes by less than a double can tell is a change', async () => {
  const bounded = (bound: string) =>
    replace('              format: int64\n', `              format: int64\n              maximum: ${bound}\n`)(contract)
  const { changes } = await compareContracts(bounded('9223372036854775807'), bounded('9223372036854775806'), 'before')
  expect(changes).toHaveLength(2)
  for (const change of changes)
    expect(change).toMatchObject({
      breaks: true,
      text: expect.stringMatching(/maximum: changed from 9223372036854775807 to 9223372036854775806$/) as string,
    })
})

describe('the base of the comparison', () => {
  const breakingEdit = replace('          required: false', '          required: true')

  test('is the newest release tag in the history of what is checked out', async () => {
    const { root, editContract } = await copyReleasedProject('v1.9.0')
    await editContract(breakingEdit)
    expect((await judgeChanges(root, undefined)).lines.at(-1)).toMatch(/^compared with v1\.9\.0: 1 breaking/)
    await editContract(replace('version: 1.0.0', 'version: 2.0.0'))
    commit(root)
    for (const tag of ['v1.10.0', 'v1.9.9', 'v2.0.0-rc.1', 'vine']) git(root, 'tag', tag)
    expect(await judgeChanges(root, undefined)).toEqual({ ok: true, lines: ['openapi.yaml is that of v1.10.0'] })
    expect((await judgeChanges(root, 'v1.9.0')).ok).toBe(true)
  })

  test('is nothing before the first release, and outside of a repository', async () => {
    const { root } = await copyProject()
    const nothing = { ok: true, lines: [expect.stringMatching(/^there is no release tag/)] }
    expect(await judgeChanges(root, undefined)).toEqual(nothing)
    git(root, 'init', '--quiet')
    expect(await judgeChanges(root, undefined)).toEqual(nothing)
  })

  test('is refused in one line when it cannot be read', async () => {
    const { root } = await copyReleasedProject()
    expect(await judgeChanges(root, 'nowhere')).toEqual({
      ok: false,
      lines: ["cannot read openapi.yaml of nowhere: invalid object name 'nowhere'."],
    })
    expect(await judgeChanges(root, '--output=x')).toMatchObject({
      ok: false,
      lines: [expect.stringMatching(/^cannot read openapi\.yaml of --output=x/)],
    })
  })
})
