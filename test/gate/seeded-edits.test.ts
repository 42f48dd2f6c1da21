import { expect, test } from 'vitest'
import { checkBreaking } from '../../scripts/develop/breaking/compare-with-release.ts'
import { parts } from '../../scripts/develop/check/parts.ts'
import { generate } from '../../scripts/develop/generate/generate.ts'
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
      const { ok, details } = await parts.contract(root)
      return { ok, text: details }
    }
    case 'breaking': {
      const { ok, lines } = await checkBreaking(root, undefined)
      return { ok, text: lines.join('\n') }
    }
  }
}

const badEdits: [title: string, stoppedBy: ContractPart, edit: Edit, message: RegExp][] = [
  [
    'a request example of the wrong type',
    'generated',
    replace('                  id: 55', "                  id: '55'"),
    /the example \/id must be an integer/,
  ],
  [
    'a response example without a required property',
    'generated',
    replace('                    - name: Aloe vera\n', '                    - tag: indoor\n'),
    /the example \/1 must have required property 'name'/,
  ],
  [
    'an error example with a number that is not in the catalogue',
    'generated',
    replace('            error: 40900\n', '            error: 40999\n'),
    /the example \/error must be an integer out of/,
  ],
  [
    'a format that nobody checks',
    'generated',
    replace('format: int32', 'format: int23'),
    /format: int23 is a format that nobody validates/,
  ],
  [
    'a keyword that is misspelt',
    'generated',
    replace('          maxLength: 255', '          maxLenght: 255'),
    /maxLenght/,
  ],
  [
    'a pattern that is no regular expression',
    'generated',
    replace("'^[A-Za-z0-9._-]{1,128}$'", "'^[A-Za-z0-9._-{1,128}$'"),
    /pattern: .*a class is open; close it with \]/,
  ],
  [
    'a path parameter that the path does not have',
    'generated',
    replace('        - name: id\n', '        - name: number\n'),
    /number/,
  ],
  ['a security scheme that is not described', 'generated', replace('  - bearer: []', '  - baerer: []'), /baerer/],
  [
    'an operation whose security nobody has decided',
    'generated',
    replace('security:\n  - bearer: []\n', ''),
    /operation listPlants: has no security; write security: \[\] if everybody may call it/,
  ],
  [
    'a security scheme that nothing verifies',
    'generated',
    replace('      scheme: bearer\n', '      scheme: digest\n'),
    /openapi\.yaml:\d+:\d+: components\/securitySchemes\/bearer: is http digest, which this service does not verify/,
  ],
  [
    'scopes whose absence the contract does not declare',
    'generated',
    replace(
      '      operationId: listPlants\n',
      '      operationId: listPlants\n      security:\n        - bearer: [admin]\n',
    ),
    /openapi\.yaml:\d+:\d+: operation listPlants: asks for scopes; add 40300/,
  ],
  [
    'an operation without a description',
    'contract',
    cut('      description: |\n        Deletes', '      tags:'),
    /operation-description/,
  ],
  ['an operation without a success', 'contract', cut("        '204':\n", "        '400':"), /operation-2xx-response/],
  [
    'an operation that does not declare the refusal of credentials',
    'contract',
    cut("        '401':\n", "        '408':"),
    /an operation that asks for credentials must declare 401/,
  ],
  [
    'a component that nothing uses',
    'contract',
    replace(
      '  headers:\n    X-Request-Id:\n',
      '  headers:\n    X-Unused:\n      description: Nothing.\n      schema:\n        type: string\n    X-Request-Id:\n',
    ),
    /X-Unused/,
  ],
  [
    'a removed operation',
    'breaking',
    cut('    post:\n', '  /plants/{id}:'),
    /breaking .*Operation `POST \/plants` was removed/,
  ],
  [
    'a renamed parameter',
    'breaking',
    replace('        - name: limit\n', '        - name: max\n'),
    /breaking .*`limit` query parameter was renamed to `max`/,
  ],
  [
    'a property of a request that becomes required',
    'breaking',
    replace('required: [id]', 'required: [id, tag]'),
    /breaking .*Properties became required: `tag`/,
  ],
  [
    'a narrowed bound of a parameter',
    'breaking',
    replace('maximum: 2147483647', 'maximum: 1000'),
    /breaking .*Upper bound changed from '<= 2147483647' to '<= 1000'/,
  ],
  [
    'a property that responses need not have any more',
    'breaking',
    replace('required: [error, message]', 'required: [error]'),
    /breaking .*no longer required: `message`/,
  ],
  [
    'another status of success',
    'breaking',
    replace("        '204':\n", "        '202':\n"),
    /breaking .*Response `204` became `202`/,
  ],
]

test.for(badEdits)('%s is stopped by the part %s', async ([, part, edit, message]) => {
  const { root, editContract } = await copyReleasedProject()
  await editContract(edit)
  const { ok, text } = await run(part, root)
  expect(text).toMatch(message)
  expect(ok).toBe(false)
})

const benignEdits: [title: string, edit: Edit][] = [
  ['a better description', replace('Lists plants, creates a plant', 'Keeps plants: lists plants, creates a plant')],
  [
    'another optional query parameter',
    replace(
      '        - name: limit\n',
      '        - name: tag\n          in: query\n          description: The type of the plants.\n          schema:\n            type: string\n        - name: limit\n',
    ),
  ],
  [
    'another optional property of a request',
    replace(
      '          required: [id]\n          properties:\n',
      '          required: [id]\n          properties:\n            note:\n              description: A note.\n              type: string\n',
    ),
  ],
  ['another operation', addGetPlant],
  ['a loosened bound of a parameter', replace('            minimum: 0\n', '            minimum: -1\n')],
]

test.for(benignEdits)('%s passes', async ([, edit]) => {
  const { root, editContract } = await copyReleasedProject()
  await editContract(edit)
  const [generated, contract, breaking] = await Promise.all([
    run('generated', root),
    run('contract', root),
    run('breaking', root),
  ])
  expect(generated).toMatchObject({ ok: true })
  expect(contract).toEqual({ ok: true, text: '' })
  expect(breaking).toMatchObject({
    ok: true,
    text: expect.stringMatching(/^(?:compatible|editorial) [^]*: 0 breaking, \d+ compatible, \d+ editorial$/) as string,
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
      ...badEdits.map(([, , edit]) => edit(contract)),
      ...benignEdits.map(([, edit]) => edit(contract)),
      contract,
    ]).size,
  ).toBe(badEdits.length + benignEdits.length + 1)
})
