import type { Store } from '../../src/store/store.ts'

/** The JSON text of a list, whole. @throws Error when the store is unavailable */
export async function listText(store: Store, caller: string, limit?: number): Promise<string> {
  const list = await store.list(caller, limit)
  if (list === 'unavailable') throw new Error('the store is unavailable')
  if (typeof list.chunks === 'string') return list.chunks
  let text = ''
  for await (const chunk of list.chunks) text += chunk
  return text
}
