import { defineConfig } from 'vitest/config'

/** What Stryker runs for each mutant of the source: the tests that need neither a process, a browser nor PostgreSQL. */
export default defineConfig({
  test: {
    include: ['test/{auth,contract,operations}/**/*.test.ts', 'test/contract-suite/store-independence.test.ts', 'test/config.test.ts'],
    provide: { engine: 'sqlite' },
    env: { CONTRACT_SEED: '1' },
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
})
