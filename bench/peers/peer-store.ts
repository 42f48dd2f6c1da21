import Database from 'better-sqlite3'
import { hash } from 'node:crypto'
import { type PeerStore, storeOn } from './peer.ts'

/** Opens the file that `DATABASE_FILE` names. */
export function openPeerStore(): PeerStore {
  const database = new Database(process.env['DATABASE_FILE'] ?? '')
  const driver = {
    exec: (sql: string) => database.exec(sql),
    prepare: (sql: string) => database.prepare(sql),
  }
  return storeOn(driver, (text) => hash('sha256', text, 'buffer'))
}
