import { createRequire } from 'node:module'

/** What package.json says. Both packages have one version. */
// npm takes no package without a version, and this one says which Node it needs.
export const { version, engines } = createRequire(import.meta.url)('../package.json') as {
  version: string
  engines: { node: string }
}
