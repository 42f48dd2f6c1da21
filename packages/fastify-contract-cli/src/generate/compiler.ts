import { createRequire } from 'node:module'
import type typescript from 'typescript'
import { UsageError } from '../commands/usage-error.ts'

const fromGenerator = createRequire(createRequire(import.meta.url).resolve('openapi-typescript'))
// The range of its peers has these types. TypeScript 7 has no such API; npm installs it here if it is told to ignore peers.
const found = fromGenerator('typescript') as typeof typescript | { factory?: undefined; version?: string }
if (found.factory === undefined)
  throw new UsageError(
    `openapi-typescript needs TypeScript 5, and finds ${found.version ?? 'none'}; install without --legacy-peer-deps`,
  )

/**
 * The compiler of openapi-typescript, whose nodes no other version can walk. An import could find another: npm puts the
 * peers of a dependency beside it, and so takes the version of the project. Import it before openapi-typescript.
 */
export const ts = found
