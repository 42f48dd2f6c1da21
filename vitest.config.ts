import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** The tests of what must be the same whatever keeps the plants. They take their store from `temporaryStore`. */
const onEveryStore = [
  'test/operations/**/*.test.ts',
  'test/model/**/*.test.ts',
  'test/process/reuse-port.test.ts',
  'test/faults/load/unread-lists.test.ts',
  // Runs the page on PostgreSQL there, and the others on SQLite.
  'test/docs/blocks.test.ts',
]
const onPostgres = [
  'test/store/postgres/**/*.test.ts',
  'test/scripts/move.test.ts',
  'test/contract-suite/store-independence.test.ts',
]

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // A busy machine takes longer than the second that is the default.
    expect: { poll: { timeout: 10_000, interval: 10 } },
    // Most files wait for a process or a timer now and then; a worker more than there are processors fills the gaps.
    maxWorkers: availableParallelism() + 1,
    // A worker loads the service, and V8 compiles it, once for all of its files instead of once for each.
    isolate: false,
    globalSetup: 'test/support/server/compile-cache.ts',
    projects: [
      {
        extends: true,
        test: { name: 'sqlite', include: ['test/**/*.test.ts'], exclude: onPostgres, provide: { engine: 'sqlite' } },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...onEveryStore, ...onPostgres],
          provide: { engine: 'postgres' },
          globalSetup: ['test/support/server/compile-cache.ts', 'test/support/server/postgres-setup.ts'],
        },
      },
    ],
  },
})
