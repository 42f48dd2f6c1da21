import { join } from 'node:path'
import { type Command, nodeBinary, startCommand } from '../../test/support/server/start-process.ts'

export const peersFolder = join(import.meta.dirname, '../peers')

/** A server that is measured. */
export interface Contender {
  name: string
  store: 'sqlite' | 'postgres' | 'peer'
  command: Command
  environment: Record<string, string>
}

/** The project with its defaults, which log each request. The peers log nothing. */
export const own: Contender = {
  name: 'plant-store',
  store: 'sqlite',
  command: startCommand,
  environment: { LOG_LEVEL: 'info' },
}

export const ownOnPostgres: Contender = { ...own, name: 'plant-store on PostgreSQL', store: 'postgres' }

export const nodeHttp = peer('node:http by hand', 'node-http.ts')
export const fastifyByHand = peer('Fastify by hand', 'fastify-by-hand.ts')
export const bunServe: Contender = {
  ...peer('Bun.serve by hand', 'bun-serve.ts'),
  command: [join(peersFolder, 'node_modules/bun/bin/bun.exe'), join(peersFolder, 'bun-serve.ts')],
}

/** The project first. */
export const contenders: readonly Contender[] = [
  own,
  ownOnPostgres,
  nodeHttp,
  fastifyByHand,
  peer("openapi-backend's example", 'openapi-backend-example.ts'),
  peer('fastify-openapi-glue', 'fastify-openapi-glue.ts'),
  peer('express-openapi-validator', 'express-openapi-validator.ts'),
  bunServe,
]

/** A peer has a compile cache, as the project has, so that Node does not load its type stripper. */
function peer(name: string, file: string): Contender {
  const environment = { NODE_COMPILE_CACHE: join(peersFolder, '../../.cache/compiled-peers') }
  const command = [nodeBinary, join(peersFolder, file)] as const
  return { name, store: 'peer', command, environment }
}
