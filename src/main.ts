import { enableCompileCache } from 'node:module'

// Until signals.ts handles them: these signals have no default action for the first process of a container.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const) process.on(signal, () => process.exit(0))
// Without a listener, SIGUSR1 opens Node's debugger, and the other two end the process. signals.ts handles SIGHUP.
// https://nodejs.org/docs/latest-v26.x/api/process.html#signal-events
for (const signal of ['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => undefined)

// Later starts load the modules below from Node's compile cache, if its folder is writable. scripts/start.sh sets
// NODE_COMPILE_CACHE instead, which covers this file too.
// https://nodejs.org/docs/latest-v26.x/api/module.html#module-compile-cache
enableCompileCache({ directory: `${import.meta.dirname}/../.cache/compiled` })

const { serve } = await import('./process/serve.ts')
// Node 26 loads modules in one turn of its event loop: a signal that came meanwhile is handled in the next one.
await new Promise((resolve) => setImmediate(resolve))
await serve()
