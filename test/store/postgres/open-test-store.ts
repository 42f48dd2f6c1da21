import { onTestFinished } from 'vitest'
import { type PostgresStoreOptions, openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../../src/store/store.ts'

/** A store whose faults are kept. */
export interface TestStore {
  store: Store
  faults: Error[]
}

/** Opens a store, closed when the test is finished. */
export async function openTestStore(url: string, options: Partial<PostgresStoreOptions> = {}): Promise<TestStore> {
  const faults: Error[] = []
  const store = await openPostgresStore({ url, onFault: (error) => void faults.push(error), ...options })
  onTestFinished(() => store.close())
  return { store, faults }
}

/** The list's text, whole. */
export async function listText(store: Store, caller: string, limit?: number): Promise<string> {
  const list = await store.list(caller, limit)
  if (list === 'unavailable') throw new Error('the store is unavailable')
  if (typeof list.chunks === 'string') return list.chunks
  let text = ''
  for await (const chunk of list.chunks) text += chunk
  return text
}
