import { join } from 'node:path'

/** A server that is measured. */
export interface Contender {
  name: string
  schema: 'own' | 'peer'
  /** The file that `node` runs. */
  file: string
  environment: Record<string, string>
}

const root = join(import.meta.dirname, '../..')
const main = join(root, 'src/main.ts')

/** The project as it runs by default: it logs a line for each request. */
export const own: Contender = { name: 'plant-store', schema: 'own', file: main, environment: {} }

/** The project without its log, to show what the log costs. The peers log nothing. */
export const ownSilent: Contender = { name: 'plant-store, silent log', schema: 'own', file: main, environment: { LOG_LEVEL: 'silent' } }

export const nodeHttp = peer('node:http by hand', 'node-http')
export const fastifyByHand = peer('Fastify by hand', 'fastify-by-hand')
export const fastifyOpenapiGlue = peer('fastify-openapi-glue', 'fastify-openapi-glue')
export const openapiBackendExample = peer("openapi-backend's example", 'openapi-backend-example')
export const expressOpenapiValidator = peer('express-openapi-validator', 'express-openapi-validator')

export const peers: readonly Contender[] = [nodeHttp, fastifyByHand, fastifyOpenapiGlue, openapiBackendExample, expressOpenapiValidator]

/** Everyone who takes part in every workload, the project first. */
export const contenders: readonly Contender[] = [own, ...peers, ownSilent]

function peer(name: string, file: string): Contender {
  return { name, schema: 'peer', file: join(import.meta.dirname, 'peers', `${file}.ts`), environment: {} }
}
