import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { copyProject } from './project-copy.ts'

test('the check refuses a line of a description that Markdown shows as a list', async () => {
  const { root, edit } = await copyProject()
  const lint = () => promisify(execFile)('npm', ['run', '--silent', 'lint:contract'], { cwd: root })
  await lint()
  await edit('openapi.yaml', (text) => text.replace(/( to)( 9223372036854775807\.\n)/, '$1\n           $2'))
  await expect(lint()).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('a line of a description must not begin with digits and a point') as string,
  })
})
