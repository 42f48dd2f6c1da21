import { createToken } from '../../../src/auth/tokens.ts'
import type { DatabaseLocation } from '../../../src/store/location.ts'
import { openStore } from '../../../src/store/open-store.ts'

/** A caller and its token. */
export interface Caller {
  name: string
  token: string
}

/** Issues a token for each caller. A missing database is created. */
export async function issueTokens(location: DatabaseLocation, callers: readonly string[]): Promise<Caller[]> {
  const store = await openStore(location, { onFault: () => undefined })
  try {
    return await Promise.all(
      callers.map(async (name) => {
        const { text, stored } = createToken(name, Date.now())
        if ((await store.addToken(stored)) !== 'added') throw new Error(`no token could be issued for ${name}`)
        return { name, token: text }
      }),
    )
  } finally {
    await store.close()
  }
}
