import { runNamed } from '../test/support/run-named.ts'

const commands = {
  compare: { summary: 'compares speed and memory with peers (default)', load: () => import('./compare/compare.ts') },
  services: {
    summary: 'compares the library with peers on a small service',
    load: () => import('./services/services.ts'),
  },
  overload: { summary: 'offers a server twice the load that saturates it', load: () => import('./overload.ts') },
  starve: { summary: 'measures waits while others keep the server busy', load: () => import('./starve.ts') },
  clients: { summary: 'goes the steps of official clients with the mock', load: () => import('./clients/clients.ts') },
  directory: { summary: 'generates from the contracts of a directory', load: () => import('./directory.ts') },
}

/** What measures the service or the library. What proves a promise is in proofs/. */
await runNamed('bench', 'measurement', commands, 'compare')
