import { defineConfig } from 'vitest/config'

/** The tests of what must be the same whatever keeps the plants. They take their store from `temporaryStore`. */
const onEveryStore = ['test/operations/**/*.test.ts', 'test/model/**/*.test.ts', 'test/process/reuse-port.test.ts']
const onPostgres = ['test/store/postgres/**/*.test.ts', 'test/scripts/move.test.ts', 'test/contract-suite/store-independence.test.ts']

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    projects: [
      { extends: true, test: { name: 'sqlite', include: ['test/**/*.test.ts'], exclude: onPostgres, provide: { engine: 'sqlite' } } },
      { extends: true, test: { name: 'postgres', include: [...onEveryStore, ...onPostgres], provide: { engine: 'postgres' }, globalSetup: 'test/support/postgres-setup.ts' } },
    ],
  },
})
