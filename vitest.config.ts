import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Tests that take minutes have this in their names. `npm run test:long` runs them. */
const long = ['**/*.long.test.ts']

/** Tests that must pass whatever keeps the plants. They take their store from `temporaryStore`. */
const onEveryStore = ['test/operations.test.ts', 'test/contract-suite/stored-plants.test.ts']
/** Tests of what measures and of what proves; the peers of bench/ have packages of their own. */
const ofTools = ['bench/!(peers)/**/*.test.ts', 'proofs/**/*.test.ts']
const onPostgres = ['test/store/postgres/**/*.test.ts', 'test/store/columns.test.ts', 'test/scripts/move.test.ts']

/** Long tests that need PostgreSQL, and run on nothing else. */
const onPostgresLongOnly = ['test/store/postgres/**/*.long.test.ts', 'test/scripts/move.long.test.ts']

const onPostgresLong = [
  ...onPostgresLongOnly,
  'test/contract/worked-examples.long.test.ts',
  'test/faults/load/unread-lists.long.test.ts',
  'test/faults/process/servers.long.test.ts',
]

/** A test waits for compilers and servers that take some 15 s alone. On a busy machine they take ten times as long. */
const patient = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 120_000, interval: 10 } } }

/** The ends of the range of Fastify that the library takes; every other test runs on its newest release. */
const onOtherFastify = ['fastify-5.0.0', 'fastify-6'].map((fastify) => ({
  extends: true as const,
  resolve: { alias: { fastify } },
  test: {
    name: `long-${fastify}`,
    ...patient,
    include: ['packages/fastify-contract/test/server/**/*.test.ts'],
    provide: { fastify },
    setupFiles: 'packages/fastify-contract/test/server/support/other-fastify.ts',
  },
}))

const onSqlite = { provide: { engine: 'sqlite' as const } }
const globalSetup = 'test/support/server/global-setup.ts'
// Projects do not inherit the setup of the root.
const onPostgresServer = { provide: { engine: 'postgres' as const }, globalSetup }

export default defineConfig({
  test: {
    // They end what hangs. A busy machine takes ten times as long as a quiet one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000, interval: 10 } },
    // Many tests wait for a process or a timer; workers beyond the number of processors fill the gaps.
    maxWorkers: availableParallelism() + 3,
    // A worker loads the service, and V8 compiles it, once for all of its files instead of once for each.
    isolate: false,
    globalSetup,
    projects: [
      {
        extends: true,
        test: { name: 'library', include: ['packages/*/test/**/*.test.ts'], exclude: long },
      },
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['test/**/*.test.ts', ...ofTools],
          exclude: [...long, ...onPostgres],
          ...onSqlite,
        },
      },
      {
        extends: true,
        test: { name: 'postgres', include: [...onEveryStore, ...onPostgres], exclude: long, ...onPostgresServer },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: long,
          exclude: ['**/node_modules/**', ...onPostgresLongOnly],
          ...patient,
          ...onSqlite,
        },
      },
      {
        extends: true,
        test: { name: 'long-postgres', include: onPostgresLong, ...patient, ...onPostgresServer },
      },
      ...onOtherFastify,
    ],
  },
})
