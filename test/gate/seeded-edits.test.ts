import { expect, test } from 'vitest'
import { checkBreaking } from '../../packages/fastify-contract/src/gate/breaking/compare-with-release.ts'
import { lintContract } from './tools.ts'
import { generate } from '../../packages/fastify-contract/src/gate/generate/generate.ts'
import { type Edit, addGetPlant, contractText as contract, copyReleasedProject, cut, replace } from './project-copy.ts'

/** The parts of the gate that read the contract alone; the compiler's part is in contract-changes.test.ts. */
type ContractPart = 'generated' | 'contract' | 'breaking'

async function run(part: ContractPart, root: string): Promise<{ ok: boolean; text: string }> {
  switch (part) {
    case 'generated': {
      const { ok, lines } = await generate(root, 'write')
      return { ok, text: lines.join('\n') }
    }
    case 'contract': {
      const { ok, output } = await lintContract(root)
      return { ok, text: ok ? '' : output }
    }
    case 'breaking': {
      const { ok, lines } = await checkBreaking(root, undefined)
      return { ok, text: lines.join('\n') }
    }
  }
}

type BadEdit = [title: string, edit: Edit, message: RegExp]

/** Generation tells the problems of one kind alone, so each of these has a run of its own. */
const refusedEdits: BadEdit[] = [
  [
    'a request example of the wrong type',
    replace('                  id: 55', "                  id: '55'"),
    /the example \/id must be an integer/,
  ],
  [
    'a response example without a required property',
    replace('                    - name: Aloe vera\n', '                    - tag: indoor\n'),
    /the example \/1\/name is required/,
  ],
  [
    'an error example with a number that is not in the catalogue',
    replace('            error: 40900\n', '            error: 40999\n'),
    /the example \/error must be an integer out of/,
  ],
  [
    'a format that nobody checks',
    replace('format: int32', 'format: int23'),
    /format: int23 is a format that nobody validates/,
  ],
  ['a keyword that is misspelt', replace('          maxLength: 255', '          maxLenght: 255'), /maxLenght/],
  [
    'a pattern that is no regular expression',
    replace("'^[A-Za-z0-9._-]{1,128}$'", "'^[A-Za-z0-9._-{1,128}$'"),
    /pattern: .*a class is open; close it with \]/,
  ],
  [
    'a path parameter that the path does not have',
    replace('        - name: id\n', '        - name: number\n'),
    /number/,
  ],
  ['a security scheme that is not described', replace('  - bearer: []', '  - baerer: []'), /baerer/],
  [
    'an operation whose security nobody has decided',
    replace('security:\n  - bearer: []\n', ''),
    /operation listPlants: has no security; write security: \[\] if everybody may call it/,
  ],
  [
    'a security scheme that nothing verifies',
    replace('      scheme: bearer\n', '      scheme: digest\n'),
    /openapi\.yaml:\d+:\d+: components\/securitySchemes\/bearer: is http digest, which this service does not verify/,
  ],
  [
    'scopes whose absence the contract does not declare',
    replace(
      '      operationId: listPlants\n',
      '      operationId: listPlants\n      security:\n        - bearer: [admin]\n',
    ),
    /openapi\.yaml:\d+:\d+: operation listPlants: asks for scopes; add 40300/,
  ],
]

/** Edits that do not touch each other, so that one run of the part finds all of a group. */
const groups: [part: ContractPart, badEdits: BadEdit[]][] = [
  [
    'contract',
    [
      [
        'an operation without a description',
        cut('      description: |\n        Deletes', '      tags:'),
        /operation-description/,
      ],
      ['an operation without a success', cut("        '204':\n", "        '400':"), /operation-2xx-response/],
      [
        'an operation that does not declare the refusal of credentials',
        cut("        '401':\n", "        '408':"),
        /an operation that asks for credentials must declare 401/,
      ],
      [
        'a component that nothing uses',
        replace(
          '  headers:\n    X-Request-Id:\n',
          '  headers:\n    X-Unused:\n      description: Nothing.\n      schema:\n        type: string\n' +
            '    X-Request-Id:\n',
        ),
        /X-Unused/,
      ],
    ],
  ],
  [
    'breaking',
    [
      [
        'a removed operation',
        cut('    post:\n', '  /plants/{id}:'),
        /breaking .*Operation `POST \/plants` was removed/,
      ],
      [
        'a renamed parameter',
        replace('        - name: limit\n', '        - name: max\n'),
        /breaking .*`limit` query parameter was renamed to `max`/,
      ],
      [
        'another status of success',
        replace("        '204':\n", "        '202':\n"),
        /breaking .*Response `204` became `202`/,
      ],
    ],
  ],
  [
    'breaking',
    [
      [
        'a property of a request that becomes required',
        replace('required: [id]', 'required: [id, tag]'),
        /breaking .*Properties became required: `tag`/,
      ],
      [
        'a narrowed bound of a parameter',
        replace('maximum: 2147483647', 'maximum: 1000'),
        /breaking .*Upper bound changed from '<= 2147483647' to '<= 1000'/,
      ],
      [
        'a property that responses need not have any more',
        replace('required: [error, message]', 'required: [error]'),
        /breaking .*no longer required: `message`/,
      ],
    ],
  ],
]

/** Runs a part on a copy with all of these edits, when the first of their tests asks for it. */
function runOnce(part: ContractPart, edits: Edit[]): () => ReturnType<typeof run> {
  let result: ReturnType<typeof run> | undefined
  async function runEdited() {
    const { root, editContract } = await copyReleasedProject()
    for (const edit of edits) await editContract(edit)
    return run(part, root)
  }
  return () => (result ??= runEdited())
}

const refusals = refusedEdits.map((badEdit): (typeof groups)[number] => ['generated', [badEdit]])
const badEdits = [...refusals, ...groups].flatMap(([part, group]) => {
  const runPart = runOnce(
    part,
    group.map(([, edit]) => edit),
  )
  return group.map(([title, , message]) => [title, part, message, runPart] as const)
})

test.for(badEdits)('%s is stopped by the part %s', async ([, , message, runPart]) => {
  const { ok, text } = await runPart()
  expect(text).toMatch(message)
  expect(ok).toBe(false)
})

/** These do not touch each other either. */
const benignEdits: [title: string, edit: Edit][] = [
  ['a better description', replace('Lists plants, creates a plant', 'Keeps plants: lists plants, creates a plant')],
  [
    'another optional query parameter',
    replace(
      '        - name: limit\n',
      '        - name: tag\n          in: query\n          description: The type of the plants.\n' +
        '          schema:\n            type: string\n        - name: limit\n',
    ),
  ],
  [
    'another optional property of a request',
    replace(
      '          required: [id]\n          properties:\n',
      '          required: [id]\n          properties:\n            note:\n' +
        '              description: A note.\n              type: string\n',
    ),
  ],
  ['another operation', addGetPlant],
  ['a loosened bound of a parameter', replace('            minimum: 0\n', '            minimum: -1\n')],
]

test('what adds, loosens or describes better passes every part', async () => {
  const { root, editContract } = await copyReleasedProject()
  for (const [, edit] of benignEdits) await editContract(edit)
  const [generated, contract, breaking] = await Promise.all([
    run('generated', root),
    run('contract', root),
    run('breaking', root),
  ])
  expect(generated).toMatchObject({ ok: true })
  expect(contract).toEqual({ ok: true, text: '' })
  expect(breaking).toMatchObject({
    ok: true,
    text: expect.stringMatching(/^(?:compatible|editorial) [^]*: 0 breaking, 4 compatible, 1 editorial$/) as string,
  })
})

test('what breaks clients passes with a new major version, and with no other', async () => {
  const { root, editContract } = await copyReleasedProject()
  await editContract(replace('maximum: 2147483647', 'maximum: 1000'))
  await editContract(replace('version: 1.0.0', 'version: 1.1.0'))
  expect((await checkBreaking(root, undefined)).ok).toBe(false)
  await editContract(replace('version: 1.1.0', 'version: 2.0.0'))
  expect((await checkBreaking(root, undefined)).ok).toBe(true)
})

test('every edit is one of its own', () => {
  expect(
    new Set([
      ...[...refusedEdits, ...groups.flatMap(([, group]) => group)].map(([, edit]) => edit(contract)),
      ...benignEdits.map(([, edit]) => edit(contract)),
      contract,
    ]).size,
  ).toBe(badEdits.length + benignEdits.length + 1)
})
