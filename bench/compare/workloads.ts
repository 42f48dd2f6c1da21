import type { BenchCaller } from './database-file.ts'
import type { LoadOperation } from '../load/load.ts'

/** A load that every contender is measured with. */
export interface Workload {
  name: string
  title: string
  kind: 'list' | 'create' | 'delete'
  /** The limit of a list. */
  limit?: number
  connections: number
  /** The status of every answer. */
  status: number
  /** For creates: see `LoadIds`. */
  scatterOver?: number
  /** The limit of one measurement, and so of the ids that it uses. */
  maxRequests: number
}

/** The number of plants of the caller `reader`. */
export const listedPlants = 2_000

const maxRequests = 20_000

export const create: Workload = {
  name: 'create',
  title: 'create, 32 connections',
  kind: 'create',
  connections: 32,
  status: 200,
  maxRequests,
}

export const remove: Workload = {
  name: 'delete',
  title: 'delete, 32 connections',
  kind: 'delete',
  connections: 32,
  status: 204,
  maxRequests,
}

export const list20 = list('list-20', 20, 32)

export const workloads: readonly Workload[] = [
  list('list-1', 1, 32),
  list20,
  list('list-1000', 1_000, 32),
  create,
  remove,
  list('list-20-alone', 20, 1),
  { name: 'create-alone', title: 'create, 1 connection', kind: 'create', connections: 1, status: 200, maxRequests },
  {
    name: 'delete-alone',
    title: 'delete, 1 connection',
    kind: 'delete',
    connections: 1,
    status: 204,
    maxRequests: 2_000,
  },
]

function list(name: string, limit: number, connections: number): Workload {
  const noun = connections === 1 ? 'connection' : 'connections'
  const title = `list, limit ${limit.toLocaleString('en')}, ${String(connections)} ${noun}`
  return { name, title, kind: 'list', limit, connections, status: 200, maxRequests: 1_000_000 }
}

/** @returns the requests of a workload */
export function operationOf({ kind, limit = 0, scatterOver }: Workload, firstId: number): LoadOperation {
  switch (kind) {
    case 'list':
      return { kind, path: `/plants?limit=${String(limit)}` }
    case 'create':
    case 'delete':
      return { kind, ids: { first: firstId, scatterOver } }
  }
}

/** @returns the caller of a workload's requests */
export function callerOf({ kind }: Workload): BenchCaller {
  return kind === 'list' ? 'reader' : 'writer'
}

export function titleOf(workload: string): string {
  return workloads.find(({ name }) => name === workload)?.title ?? workload
}
