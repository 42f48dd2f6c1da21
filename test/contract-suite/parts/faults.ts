import Database from 'better-sqlite3'
import { openSync, writeSync, closeSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/store.ts'
import { errorNumber } from '../../support/responses/expected-contract.ts'
import { temporaryFolder } from '../../support/server/start-app.ts'
import { type ContractRequest, startService } from '../contract-client.ts'

const requests: Record<'list' | 'create' | 'delete', ContractRequest> = {
  list: { method: 'GET', url: '/plants' },
  create: { method: 'POST', url: '/plants', body: '{"id":54,"name":"a"}' },
  delete: { method: 'DELETE', url: '/plants/54' },
}

/** Tests that a fault of the database has its declared answer. */
export function testFaults(): void {
  describe('when the service is at fault', () => {
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
