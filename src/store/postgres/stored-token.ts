import type { StoredToken } from '../store.ts'
import type { TokenRow } from './statements.ts'

/** A token as it is kept, from its row. */
export function storedToken({ hash, prefix, caller, issued_at, expires_at, last_used_at }: TokenRow): StoredToken {
  return { hash, prefix, caller, issuedAt: Number(issued_at), expiresAt: timeOf(expires_at), lastUsedAt: timeOf(last_used_at) }
}

function timeOf(column: string | null): number | undefined {
  return column === null ? undefined : Number(column)
}
