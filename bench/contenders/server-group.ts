import { join } from 'node:path'
import { own } from './contenders.ts'
import {
  type ServerProcess,
  loadProcessor,
  serverProcessor,
  startServer,
} from '../../scripts/measure/servers/server-process.ts'
import type { SharedDatabase } from './shared-database.ts'

/**
 * Starts servers of the project that share a port and a database. One alone has the servers' processor; several have
 * that of the
 * load generator too.
 */
export async function startGroup(count: number, { url }: SharedDatabase, folder: string): Promise<ServerProcess[]> {
  const servers: ServerProcess[] = []
  const processors = count === 1 ? serverProcessor : `${serverProcessor},${loadProcessor}`
  try {
    while (servers.length < count) {
      const environment = {
        ...own.environment,
        DATABASE_URL: url,
        REUSE_PORT: '1',
        PORT: String(servers[0]?.port ?? 0),
      }
      servers.push(
        await startServer({
          arguments: own.arguments,
          environment,
          logFile: join(folder, 'processes.log'),
          processors,
        }),
      )
    }
    return servers
  } catch (error) {
    for (const server of servers) await server.stop()
    throw error
  }
}
