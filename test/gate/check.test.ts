import { execFile } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/server/start-app.ts'
import { copyReleasedProject, replace } from './project-copy.ts'

const script = join(import.meta.dirname, '../../scripts/develop/check.ts')

async function check(root: string, ...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [script, ...args], { cwd: root }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => error as { code: unknown; stdout: string; stderr: string },
  )
}

test('a check prints one line for each part, and below them what failed', async () => {
  const { root, editContract } = await copyReleasedProject()
  const parts = ['generated', 'contract', 'breaking']
  const passed = await check(root, ...parts)
  expect(passed).toMatchObject({ code: 0, stderr: '' })
  expect(passed.stdout.trim().split('\n')).toEqual(
    parts.map((part) => expect.stringMatching(new RegExp(`^✓ ${part} .* s {2}\\S`)) as string),
  )

  await editContract(replace('operationId: listPlants', 'operationId: findPlants'))
  const failed = await check(root, ...parts)
  expect(failed.code).toBe(1)
  expect(
    failed.stdout
      .trim()
      .split('\n')
      .map((line) => line.slice(0, 8)),
  ).toEqual(['✗ genera', '✓ contra', '✗ breaki'])
  expect(failed.stderr).toMatch(
    /\ngenerated\n(?:generated\/\S+ does not match openapi\.yaml: run npm run generate\n){5}\nbreaking\n/,
  )
  expect(failed.stderr).toMatch(/\nbreaking\nbreaking {4}GET \/plants: `operationId` .*\n/)
})

test('a part that there is not is refused with the usage', async () => {
  const { root } = await copyReleasedProject()
  expect(await check(root, 'spelling')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^there is no part spelling\nUsage: npm run check/) as string,
  })
})

test('a file that is not formatted is named with the remedy, and openapi.yaml need not be', async () => {
  const root = await temporaryFolder()
  const project = join(import.meta.dirname, '../..')
  for (const file of ['package.json', '.prettierignore']) await cp(join(project, file), join(root, file))
  await writeFile(join(root, 'openapi.yaml'), "a:   'b'\n")
  await writeFile(join(root, 'listed.ts'), 'export const listed = "as it is not written here";\n')
  expect(await check(root, 'format')).toMatchObject({ code: 1, stderr: '\nformat\nlisted.ts\nrun npm run format\n' })
  await writeFile(join(root, 'listed.ts'), "export const listed = 'as it is written here'\n")
  expect(await check(root, 'format')).toMatchObject({ code: 0, stderr: '' })
})
