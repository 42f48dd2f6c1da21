import type { StoredToken } from '../store.ts'
import type { TokenRow } from './statements.ts'

/** A token as it is kept, from its row. */
export function storedToken({ hash, prefix, caller, issued_at, expires_at }: TokenRow): StoredToken {
  return { hash, prefix, caller, issuedAt: Number(issued_at), expiresAt: expires_at === null ? undefined : Number(expires_at) }
}
