import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startArguments, startEnvironment } from '../servers/server-process.ts'

const peersFolder = join(import.meta.dirname, '../peers')

/** A server that is measured. */
export interface Contender {
  name: string
  store: 'sqlite' | 'postgres' | 'peer'
  /** The program that runs it; this Node by default. */
  program?: string
  /** The arguments of the program: its options and the file to run. */
  arguments: readonly string[]
  environment: Record<string, string>
  /** For a peer: the package that `npm install --prefix bench` brings. */
  needs?: string
}

/** The project as it runs by default: it logs a line for each request. The peers log nothing. */
export const own: Contender = {
  name: 'plant-store',
  store: 'sqlite',
  arguments: startArguments,
  environment: startEnvironment,
}

export const ownOnPostgres: Contender = { ...own, name: 'plant-store on PostgreSQL', store: 'postgres' }

export const nodeHttp = peer('node:http by hand', 'node-http.ts')
export const bunServe: Contender = {
  ...peer('Bun.serve by hand', 'bun-serve.ts', 'bun'),
  program: join(peersFolder, '../node_modules/bun/bin/bun.exe'),
}

/** The project first. */
export const contenders: readonly Contender[] = [
  own,
  ownOnPostgres,
  nodeHttp,
  peer('Fastify by hand', 'fastify-by-hand.ts'),
  peer("openapi-backend's example", 'openapi-backend-example.ts'),
  peer('fastify-openapi-glue', 'fastify-openapi-glue.ts', 'fastify-openapi-glue'),
  peer('express-openapi-validator', 'express-openapi-validator.ts', 'express-openapi-validator'),
  bunServe,
]

/** A peer has a compile cache as the project has, so that Node's compiler of types is not loaded for it. */
function peer(name: string, file: string, needs?: string): Contender {
  const environment = { NODE_COMPILE_CACHE: join(peersFolder, '../../.cache/compiled-peers') }
  return {
    name,
    store: 'peer',
    arguments: [join(peersFolder, file)],
    environment,
    ...(needs !== undefined && { needs }),
  }
}

/** Whether the package of a peer is installed. */
export function isInstalled({ needs }: Contender): boolean {
  return needs === undefined || existsSync(join(peersFolder, '../node_modules', needs))
}
