import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { type ServerProcess, nodeBinary, projectFolder, startProcess } from '../../support/server/start-process.ts'

/** Starts the server with JOURNAL_STREAM naming a file of its own, as stat(1) in a shell before it finds that. */
async function startNaming(descriptor: string, database: string, redirections = ''): Promise<ServerProcess> {
  const script =
    `exec 8>&1 9>&2; export JOURNAL_STREAM=$(stat --dereference --format=%d:%i /proc/self/fd/${descriptor}); ` +
    `exec "$0" "$1" 8>&- 9>&- ${redirections}`
  const server = await startProcess({ DATABASE_URL: `sqlite:${database}` }, [
    'bash',
    '-c',
    script,
    nodeBinary,
    join(projectFolder, 'src/main.ts'),
  ])
  onTestFinished(() => server.end())
  return server
}

test.each([
  ['standard output', '8'],
  ['standard error, and standard output is a socket too', '9'],
])(
  'where JOURNAL_STREAM names %s no token is issued, and the start says how to issue one',
  async (_description, descriptor) => {
    const database = join(await temporaryFolder(), 'plants.db')
    const server = await startNaming(descriptor, database)
    expect(server.stdout()).not.toContain('plst_')
    expect(server.stdout()).toContain('Token        npm run token -- issue CALLER\n')
    await server.end()
    // The store is still empty, so a start elsewhere issues the first one.
    expect((await startNaming('0', database)).stdout()).toMatch(/^Token +plst_/m)
  },
)

test.each([
  ['an inherited JOURNAL_STREAM that names neither', '0', ''],
  ['a log that goes to the journal while standard output is a pipe', '9', '> >(cat)'],
])('%s keeps no token from whoever reads standard output', async (_description, descriptor, redirections) => {
  const server = await startNaming(descriptor, join(await temporaryFolder(), 'plants.db'), redirections)
  expect(server.stdout()).toMatch(/^Token +plst_/m)
})
