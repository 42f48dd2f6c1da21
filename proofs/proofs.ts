import { runNamed } from '../test/support/run-named.ts'

/** What proves a promise; docs/proofs.md describes each. What measures is in bench/. */
await runNamed('proofs', 'proof', {
  mutants: { summary: 'changes the contract; the suite must fail', load: () => import('./mutants/mutants.ts') },
  fuzz: { summary: 'attacks a server with malformed requests', load: () => import('./fuzz/fuzz.ts') },
  'json-schema': { summary: 'judges the tests of JSON Schema', load: () => import('./json-schema.ts') },
  linearizability: {
    summary: 'orders the responses of servers that are killed',
    load: () => import('./linearizability/linearizability.ts'),
  },
  proxies: { summary: 'restarts servers behind proxies under load', load: () => import('./proxies.ts') },
  failover: { summary: 'fails over a PostgreSQL primary under load', load: () => import('./failover.ts') },
  pgbouncer: { summary: 'serves through PgBouncer and restarts it under load', load: () => import('./pgbouncer.ts') },
  citus: { summary: 'serves on Citus and kills its nodes under load', load: () => import('./citus/citus.ts') },
})
