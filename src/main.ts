import { enableCompileCache } from 'node:module'

// From the second start on, Node finds all that is imported below stripped of its types and compiled. Where the folder
// cannot be written it goes without. https://nodejs.org/docs/latest-v24.x/api/module.html#module-compile-cache
enableCompileCache({ directory: `${import.meta.dirname}/../.cache/compiled` })

const { serve } = await import('./serve.ts')
await serve()
