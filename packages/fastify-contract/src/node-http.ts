/**
 * What the library needs of node:http. An `import` of it would read every export, and reading `WebSocket` loads undici,
 * which takes a tenth of the time of a start and 4 MiB.
 */
export const { createServer, METHODS, STATUS_CODES } = process.getBuiltinModule('node:http')
