import Database from 'better-sqlite3'
import { openSync, writeSync, closeSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/store.ts'
import { errorNumber } from '../../support/responses/judged-contract.ts'
import { temporaryFolder, temporaryStore } from '../../support/server/start-app.ts'
import { type ContractRequest, startService } from '../contract-client.ts'

const requests: Record<'list' | 'create' | 'delete', ContractRequest> = {
  list: { method: 'GET', url: '/plants' },
  create: { method: 'POST', url: '/plants', body: '{"id":54,"name":"a"}' },
  delete: { method: 'DELETE', url: '/plants/54' },
}

/** Tests that a fault of the service's own has its declared answer on every operation. */
export function testFaults(): void {
  describe('when the service is at fault', () => {
    test.each(Object.entries(requests))('a store that throws makes %s answer 500', async (method, request) => {
      const store = await temporaryStore()
      const { send } = await startService({
        store: { ...store, [method]: () => Promise.reject(new Error('a fault of the store')) },
      })
      expect(errorOf(await send(request))).toBe(errorNumber('internal'))
    })

    test('a file that another process has locked makes the writes answer 503', async () => {
      const { file, store } = await storeInFile()
      const { send } = await startService({ store })
      const other = new Database(file)
      other.exec('BEGIN IMMEDIATE')
      expect(errorOf(await send(requests.create))).toBe(errorNumber('unavailable'))
      expect(errorOf(await send(requests.delete))).toBe(errorNumber('unavailable'))
      other.close()
      expect((await send(requests.create)).status).toBe(200)
    })

    test('a file that is damaged makes the list answer 503', async () => {
      const { file, store } = await storeInFile()
      await store.create('me', { id: 1n, name: 'a' })
      await store.close()
      const reopened = openSqliteStore({ file, onFault: () => undefined })
      onTestFinished(() => reopened.close())
      const { send } = await startService({ store: reopened })
      damage(file)
      expect(errorOf(await send(requests.list))).toBe(errorNumber('unavailable'))
    })

    test('a caller over the rate is told when to try again, on every operation', async () => {
      vi.useFakeTimers({ toFake: ['performance'] })
      onTestFinished(() => void vi.useRealTimers())
      const { send } = await startService({ rateLimit: 600 })
      for (let request = 0; request < 600; request++) await send({ method: 'HEAD', url: '/plants' })
      vi.advanceTimersByTime(48_000)
      for (const request of Object.values(requests)) {
        const response = await send(request)
        expect(errorOf(response)).toBe(errorNumber('rate_limited'))
        expect(response.headers['retry-after']).toBe('12')
      }
    })
  })
}

async function storeInFile(): Promise<{ file: string; store: Store }> {
  const file = join(await temporaryFolder(), 'plants.db')
  const store = openSqliteStore({ file, onFault: () => undefined, lockTimeoutMilliseconds: 20 })
  onTestFinished(() => store.close())
  return { file, store }
}

/** Overwrites everything behind the first page, which holds the schema. */
function damage(file: string): void {
  const page = 4096
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(statSync(file).size - page), 0, undefined, page)
  closeSync(descriptor)
}

function errorOf({ text }: { text: string }): unknown {
  return (JSON.parse(text) as { error?: unknown }).error
}
