import { defineConfig } from 'vitest/config'

/** What Stryker runs for each mutant of the source: the tests that need neither a process, a browser nor PostgreSQL. */
export default defineConfig({
  test: {
    include: [
      'test/{auth,contract,operations}/**/*.test.ts',
      'test/contract-suite/contract-suite.test.ts',
      'test/config/config.test.ts',
    ],
    provide: { engine: 'sqlite' },
    // A mutant runs the tests that reach it, and what a part of the suite has seen is not all that the contract
    // declares.
    env: { CONTRACT_SEED: '1', CONTRACT_PART: 'those that reach a mutant' },
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
})
