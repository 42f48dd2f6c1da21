import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { generate } from '../../scripts/develop/generate/generate.ts'
import { type Edit, addGetPlant, replace } from '../gate/project-copy.ts'
import { type Block, textOf } from '../support/pages.ts'
import {
  answerWithoutScope,
  changeContract,
  expectExact,
  expectParts,
  expectSchema,
  expectStages,
  expectTree,
  runClient,
  runMove,
} from './checks.ts'
import type { PageFolder } from './page-folders.ts'

/** Fails when a block is not what the project does or has. */
type Check = (block: Block, page: PageFolder) => void | Promise<void>

/** What the tests do about a block. `notRun` is why the suite does not run it; it may still compare its words. */
export type Treatment = { check: Check; notRun?: string } | { check?: never; notRun: string }

/** A block of commands, each after `$ `, and below each what it prints. */
const run: Treatment = { check: ({ text }, { session }) => session.run(text) }

/** The same, with the contract of the gate's tests changed before. */
function runAfter(...edits: Edit[]): Treatment {
  return {
    check: async ({ text }, { folder, session }) => {
      await changeContract(folder, ...edits)
      await session.run(text)
    },
  }
}

function check(compare: Check): Treatment {
  return { check: compare }
}

/** Compares a block with what a function gives. */
function printed(print: (page: PageFolder) => Promise<string>): Treatment {
  return {
    check: async ({ page, line, text }, folder) => {
      folder.session.values.expectSame(await print(folder), text.trimEnd(), `${page}:${String(line)}`)
    },
  }
}

function notRun(reason: string): Treatment {
  return { notRun: reason }
}

/**
 * An output that takes a tool, a machine or minutes that the suite does not have. Its words stand in the files that
 * print it.
 *
 * @param label finds the words in a line, as its first group; a line without is figures alone
 */
function recorded(reason: string, label: RegExp, ...files: string[]): Treatment {
  return {
    notRun: reason,
    check: ({ text }) => {
      const source = files.map(textOf).join('\n')
      const words = text.split('\n').flatMap((line) => label.exec(line)?.[1] ?? [])
      expect(words).not.toEqual([])
      expect(words.filter((each) => !source.includes(each))).toEqual([])
    },
  }
}

const limit1000 = replace('            maximum: 2147483647', '            maximum: 1000')
const example1000 = replace('              value: 2147483647', '              value: 1000')
const half: Edit = (text) => text.slice(0, text.length / 2)

/** Takes two statuses from the operation that `addGetPlant` adds. */
const forgetStatuses: Edit = (text) =>
  text.replace(
    /(operationId: getPlant\n[^]*?)        '408':\n.*\n([^]*?)        '431':\n.*\n/,
    (_all, before: string, between: string) => before + between,
  )

/** Every block of every page: below each heading, what is done about its blocks, in their order. */
export const treatments: Record<string, Treatment[]> = {
  'CONTRIBUTING.md#the-daily-loop': [notRun('it installs packages, and npm test is this run')],
  'README.md#set-up': [notRun('it installs packages, and npm test is this run'), run],
  'README.md#a-first-request': [
    check(async ({ page, text }, { session }) => {
      const [token = ''] = /plst_[\w-]{43}/.exec(textOf(page)) ?? []
      session.set('TOKEN', session.values.translate(token))
      await session.run(text)
    }),
  ],
  'README.md#run-it-as-an-api-server': [run],
  'README.md#configuration': [run],
  'docs/architecture.md#the-tree': [check(expectTree)],
  'docs/architecture.md#a-request-step-by-step': [check(expectStages)],
  'docs/changing-the-contract.md#a-new-operation': [
    runAfter(addGetPlant),
    check(async ({ text }, { folder }) => {
      expect(await readFile(join(folder, 'src/plants/getPlant.ts'), 'utf8')).toContain(text)
    }),
  ],
  'docs/changing-the-contract.md#a-changed-schema': [runAfter(limit1000)],
  'docs/changing-the-contract.md#what-can-be-written': [
    printed(async ({ folder }) => {
      await changeContract(folder, addGetPlant, forgetStatuses)
      return (await generate(folder, 'write')).lines.filter((line) => line.includes('warning')).join('\n')
    }),
  ],
  'docs/changing-the-contract.md#security-schemes-and-scopes': [printed(answerWithoutScope)],
  'docs/changing-the-contract.md#what-a-change-means-for-clients': [runAfter(addGetPlant, limit1000, example1000)],
  'docs/changing-the-contract.md#a-broken-file': [
    printed(async ({ folder }) => {
      await changeContract(folder, half)
      const { lines } = await generate(folder, 'write')
      const last = 'openapi.yaml is broken; the last good server goes on'
      return [...lines.flatMap((text) => text.split('\n')), last].map((line) => `dev: ${line}`).join('\n')
    }),
  ],
  'docs/changing-the-contract.md#the-gate': [check(expectParts)],
  'docs/changing-the-contract.md#a-client-in-typescript': [check(runClient)],
  'docs/operating.md#install-and-start': [
    check(({ text }) => {
      const [install = '', start = ''] = text.split('\n')
      expect(textOf('Dockerfile')).toContain(`RUN ${install} `)
      expect(textOf('Dockerfile')).toContain(`CMD ${JSON.stringify(start.split(' ')).replaceAll(',', ', ')}`)
    }),
    {
      notRun: 'it takes root and the user of the unit; npm run bench -- image does the same for the image',
      check: ({ text }) => {
        const [, cache = 'none'] =
          /^Environment=(NODE_COMPILE_CACHE=.*)$/m.exec(textOf('deploy/plant-store.service')) ?? []
        expect(text).toContain(` ${cache} `)
        const [, start = 'none'] = /^ExecStart=\/usr\/bin\/(.+)$/m.exec(textOf('deploy/plant-store.service')) ?? []
        expect(text).toContain(` ${start}\n`)
      },
    },
    recorded('it takes root, and installs packages', /^\w+ +(a create.*) stopped/, 'bench/image.ts'),
  ],
  'docs/operating.md#tokens': [run],
  'docs/operating.md#tokens-with-scopes': [run],
  'docs/operating.md#backup-and-restore': [
    recorded('the block below runs them', /^(npm run .*?) +#/, 'scripts/backup.ts', 'scripts/restore.ts'),
    run,
  ],
  'docs/operating.md#continuous-replication-with-litestream': [notRun('it takes Litestream and a bucket')],
  'docs/other-clients.md#keep-an-id-exact': [
    check(({ text }) => expectExact(text, 'bodySerializer')),
    check(({ text }) => expectExact(text, 'JSON.stringify')),
  ],
  'docs/performance.md#comparison-with-peers': [notRun('it takes minutes')],
  'docs/performance.md#overload': [
    recorded('it takes a minute of load', /\) (.+?)(?:, at least .*)?$/, 'bench/overload.ts'),
  ],
  'docs/testing.md#the-contract-suite': [
    recorded(
      'it takes half a minute, as part of npm test',
      /^(\w+Plants?|\(no operation\)) /,
      'generated/client.ts',
      'test/contract-suite/coverage.ts',
    ),
    recorded(
      'it takes a fault in the service',
      /^(Repeat it: npm run test:contract -- --seed )/,
      'test/contract-suite/run-settings.ts',
    ),
  ],
  'docs/testing.md#mutants': [
    recorded('it takes a minute', /(?:tests|service) +name (.*?) {2}/, 'bench/mutants/contract-edits.ts'),
  ],
  'docs/testing.md#the-tests-browser': [
    recorded('it takes a machine without a Chromium', /^(.*?); /, 'test/browser/docs-page.test.ts'),
  ],
  'docs/postgres.md#start': [run],
  'docs/postgres.md#moving-between-stores': [check(runMove)],
  'docs/postgres.md#failover': [recorded('it takes a PostgreSQL with a standby', /^(\S.*?) {3,}/, 'bench/failover.ts')],
  'docs/postgres.md#pgbouncer': [recorded('it takes PgBouncer', /^ {2}[\d.]+ {2}(\S.*?) {2}/, 'bench/pgbouncer.ts')],
  'docs/postgres.md#citus': [
    check(expectSchema),
    recorded('it takes Citus', /^ {2}(?:[^:]*: )?(\S.*?) {3,}/, 'bench/citus/citus.ts'),
  ],
  'docs/postgres.md#cockroachdb': [check(expectSchema)],
  'docs/postgres.md#yugabytedb': [check(expectSchema)],
}
