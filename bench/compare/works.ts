import type { LoadOperation } from '../load/load.ts'

/** A load that contenders are measured with. */
export interface Work {
  name: string
  title: string
  connections: number
  /** The status of every answer. */
  status: number
  /** The limit of one measurement, and so of the ids that it uses. */
  maxRequests: number
  isOnPostgres: boolean
  operation: (firstId: number) => LoadOperation
}

export const works: readonly Work[] = [
  list('list-1', 1, 32),
  { ...list('list-20', 20, 32), isOnPostgres: true },
  list('list-1000', 1_000, 32),
  { ...write('create', 'create', 32), isOnPostgres: true },
  write('delete', 'delete', 32),
  list('list-20-alone', 20, 1),
  write('create-alone', 'create', 1),
  { ...write('delete-alone', 'delete', 1), maxRequests: 2_000 },
]

function list(name: string, limit: number, connections: number): Work {
  const operation = { kind: 'list', path: `/plants?limit=${String(limit)}` } as const
  const title = titleOf(`list, limit ${limit.toLocaleString('en')}`, connections)
  return { name, title, connections, status: 200, maxRequests: 1e6, isOnPostgres: false, operation: () => operation }
}

function write(name: string, kind: 'create' | 'delete', connections: number): Work {
  return {
    name,
    title: titleOf(kind, connections),
    connections,
    status: kind === 'create' ? 200 : 204,
    maxRequests: 20_000,
    isOnPostgres: false,
    operation: (firstId) => ({ kind, firstId }),
  }
}

function titleOf(what: string, connections: number): string {
  return `${what}, ${String(connections)} connection${connections === 1 ? '' : 's'}`
}
