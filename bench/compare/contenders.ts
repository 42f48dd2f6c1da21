import { join } from 'node:path'
import { startArguments } from '../servers/server-process.ts'

const sqlite = 'better-sqlite3'
const peersFolder = join(import.meta.dirname, '../peers')

/** A server that is measured. */
export interface Contender {
  name: string
  schema: 'own' | 'peer'
  /** The program that runs it; this Node by default. */
  program?: string
  /** The arguments of the program: its options and the file to run. */
  arguments: readonly string[]
  environment: Record<string, string>
  /** For a peer: the packages that it imports in production. */
  packages?: readonly string[]
}

/** The project as it runs by default: it logs a line for each request. */
export const own: Contender = { name: 'plant-store', schema: 'own', arguments: startArguments, environment: {} }

/** The project without its log, to show what the log costs. The peers log nothing. */
export const ownSilent: Contender = {
  name: 'plant-store, silent log',
  schema: 'own',
  arguments: startArguments,
  environment: { LOG_LEVEL: 'silent' },
}

/** The project as it starts the first time, or where `.cache/` cannot be written. */
export const ownUncached: Contender = {
  name: 'plant-store, no compile cache',
  schema: 'own',
  arguments: startArguments,
  environment: { NODE_DISABLE_COMPILE_CACHE: '1' },
}

export const nodeHttp = peer('node:http by hand', 'node-http', [sqlite])

/** With one statement of the project that is not in the other peers: see `openPeerStore`. */
export const nodeHttpPreparedOnce: Contender = {
  ...nodeHttp,
  name: `${nodeHttp.name}, lists prepared once`,
  environment: { ...nodeHttp.environment, PREPARE_LISTS_ONCE: '1' },
}

export const fastifyByHand = peer('Fastify by hand', 'fastify-by-hand', [sqlite, 'fastify'])
export const fastifyOpenapiGlue = peer('fastify-openapi-glue', 'fastify-openapi-glue', [
  sqlite,
  'fastify',
  'fastify-openapi-glue',
])
export const openapiBackendExample = peer("openapi-backend's example", 'openapi-backend-example', [
  sqlite,
  'fastify',
  'openapi-backend',
  'yaml',
])
export const expressOpenapiValidator = peer('express-openapi-validator', 'express-openapi-validator', [
  sqlite,
  'express',
  'express-openapi-validator',
])

export const honoZod = peer('Hono with zod', 'hono-zod', [
  sqlite,
  'hono',
  '@hono/node-server',
  '@hono/zod-validator',
  'zod',
])
export const bunServe = bunPeer('Bun.serve by hand', 'bun-serve', [])
export const elysia = bunPeer('Elysia on Bun', 'elysia', ['elysia'])

/** The peers that run on Node, as the project does. */
export const nodePeers: readonly Contender[] = [
  nodeHttp,
  fastifyByHand,
  fastifyOpenapiGlue,
  openapiBackendExample,
  expressOpenapiValidator,
  honoZod,
]

export const peers: readonly Contender[] = [...nodePeers, bunServe, elysia]

/** The servers of every workload, the project first. */
export const contenders: readonly Contender[] = [own, ...peers, ownSilent, nodeHttpPreparedOnce]

/** A peer has a compile cache as the project has, so that Node's compiler of types is not loaded for it. */
function peer(name: string, file: string, packages: readonly string[]): Contender {
  const environment = { NODE_COMPILE_CACHE: join(peersFolder, '../../.cache/compiled-peers') }
  return { name, schema: 'peer', arguments: [join(peersFolder, `${file}.ts`)], environment, packages }
}

function bunPeer(name: string, file: string, packages: readonly string[]): Contender {
  return { ...peer(name, `bun/${file}`, packages), program: join(peersFolder, '../node_modules/bun/bin/bun.exe') }
}
