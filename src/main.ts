import { enableCompileCache } from 'node:module'

// Until signals.ts handles these signals: the first process of a container has no default action for them.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const) process.on(signal, () => process.exit(0))
// Without a listener SIGUSR1 opens Node's debugger, and the other two end the process. signals.ts adds the listener for
// SIGHUP. https://nodejs.org/docs/latest-v24.x/api/process.html#signal-events
for (const signal of ['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => undefined)

// From the second start on, Node loads the modules below from its compile cache. If the folder cannot be written, it
// compiles them again. `npm start` sets NODE_COMPILE_CACHE instead, so that Node's compiler of types is not loaded for
// this file either. https://nodejs.org/docs/latest-v24.x/api/module.html#module-compile-cache
enableCompileCache({ directory: `${import.meta.dirname}/../.cache/compiled` })

const { serve } = await import('./process/serve.ts')
await serve()
