import { onTestFinished } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import type { Store } from '../../../src/store/store.ts'

/** A store whose faults are kept. */
export interface TestStore {
  store: Store
  faults: Error[]
}

/** Opens a store, closed when the test is finished. */
export async function openTestStore(
  url: string,
  options: Partial<Parameters<typeof openPostgresStore>[0]> = {},
): Promise<TestStore> {
  const faults: Error[] = []
  const store = await openPostgresStore({ url, onFault: (error) => void faults.push(error), ...options })
  onTestFinished(() => store.close())
  return { store, faults }
}
