import type * as http from 'node:http'
import { createRequire } from 'node:module'

/**
 * What the server uses of node:http. An `import` of it would read every export, and reading `WebSocket` loads undici: a
 * tenth of the start, and 4 MiB. https://github.com/nodejs/node/blob/v24.x/lib/http.js
 */
// The type of `require` does not know which module it loads.
export const { createServer, METHODS, STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof http
