import { join } from 'node:path'
import { startArguments } from '../../scripts/measure/servers/server-process.ts'

/** A server that is measured. */
export interface Contender {
  name: string
  schema: 'own' | 'peer'
  /** The arguments of `node`: its options and the file to run. */
  arguments: readonly string[]
  environment: Record<string, string>
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

export const nodeHttp = peer('node:http by hand', 'node-http')

/** With one statement of the project that is not in the other peers: see `openPeerStore`. */
export const nodeHttpPreparedOnce: Contender = {
  ...nodeHttp,
  name: `${nodeHttp.name}, lists prepared once`,
  environment: { PREPARE_LISTS_ONCE: '1' },
}

export const fastifyByHand = peer('Fastify by hand', 'fastify-by-hand')
export const fastifyOpenapiGlue = peer('fastify-openapi-glue', 'fastify-openapi-glue')
export const openapiBackendExample = peer("openapi-backend's example", 'openapi-backend-example')
export const expressOpenapiValidator = peer('express-openapi-validator', 'express-openapi-validator')

export const peers: readonly Contender[] = [
  nodeHttp,
  fastifyByHand,
  fastifyOpenapiGlue,
  openapiBackendExample,
  expressOpenapiValidator,
]

/** The servers of every workload, the project first. */
export const contenders: readonly Contender[] = [own, ...peers, ownSilent, nodeHttpPreparedOnce]

function peer(name: string, file: string): Contender {
  return { name, schema: 'peer', arguments: [join(import.meta.dirname, '../peers', `${file}.ts`)], environment: {} }
}
