/**
 * What the server uses of node:http. An `import` of it would read every export, and reading `WebSocket` loads undici: a
 * tenth of the start, and 4 MiB. https://github.com/nodejs/node/blob/v24.x/lib/http.js
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
