import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Plant, Store, StoredToken } from '../../src/store/store.ts'
import { awkwardTexts } from '../support/client/awkward-texts.ts'
import { listPages, listText } from './list-text.ts'

/** A kind of store, as the suite uses it. */
export interface StoreKind<Location> {
  /** Creates an empty location, which is removed when the test is finished. */
  makeLocation: () => Promise<Location>
  /** Opens a store on the data at a location. A fault fails the test, unless it is received. */
  open: (location: Location, onFault?: (error: Error) => void) => Store | Promise<Store>
}

const lowest = -(2n ** 63n)
const highest = 2n ** 63n - 1n

/** Fails the test in which a store has a fault that is not expected. */
export function throwFault(fault: Error): void {
  throw fault
}

/** Tests what `Store` promises, sentence by sentence, of one kind of store. */
export function storeSuite<Location>(name: string, kind: StoreKind<Location>): void {
  /** Opens a store that is closed when the test is finished, if not before. */
  async function open(location: Location): Promise<Store> {
    const store = await kind.open(location)
    let closed: Promise<void> | undefined
    const close = () => (closed ??= store.close())
    onTestFinished(close)
    return { ...store, close }
  }

  async function openNew(): Promise<Store> {
    return open(await kind.makeLocation())
  }

  describe(`the plants of a ${name} store`, () => {
    test('a caller without plants has an empty list', async () => {
      expect(await listText(await openNew(), 'me')).toBe('[]')
    })

    test('a plant is listed as it was created, without its id', async () => {
      const store = await openNew()
      expect(await store.create('me', { id: 54n, name: 'Monstera', tag: 'indoor' })).toBe('created')
      expect(await store.create('me', { id: 55n, name: 'Aloe' })).toBe('created')
      expect(await listText(store, 'me')).toBe('[{"name":"Monstera","tag":"indoor"},{"name":"Aloe"}]')
    })

    test('every text comes back as it was given, in name and in tag', async () => {
      const store = await openNew()
      await Promise.all(
        awkwardTexts.map(([, text], index) => store.create('me', { id: BigInt(index), name: text, tag: text })),
      )
      for (const limit of [undefined, 128, 129])
        expect(await plantsOf(store, 'me', limit)).toStrictEqual(
          awkwardTexts.map(([, text]) => ({ name: text, tag: text })),
        )
    })

    test('the list is in ascending order of id, from the lowest int64 to the highest', async () => {
      const store = await openNew()
      const ascending = [
        lowest,
        lowest + 1n,
        -(2n ** 53n) - 1n,
        -(2n ** 53n),
        -256n,
        -10n,
        -9n,
        -1n,
        0n,
        1n,
        9n,
        10n,
        256n,
        2n ** 53n,
        2n ** 53n + 1n,
        2n ** 53n + 2n,
        highest - 1n,
        highest,
      ]
      await plant(store, 'me', ascending.toReversed())
      expect(await namesOf(store, 'me')).toEqual(ascending.map(String))
    })

    test('the list has at most as many plants as its limit, and all without one', async () => {
      const store = await openNew()
      await plant(store, 'me', [3n, -1n, 2n])
      const all = ['-1', '2', '3']
      for (const [limit, count] of [
        [0, 0],
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 3],
        [2_147_483_647, 3],
      ] as const)
        expect(await namesOf(store, 'me', limit)).toEqual(all.slice(0, count))
      expect(await namesOf(store, 'me')).toEqual(all)
    })

    test('a list of thousands is complete and in order, whatever its limit', async () => {
      const store = await openNew()
      const ids = [...range(lowest, 1_250), ...range(highest - 1_249n, 1_250)]
      await plant(store, 'me', ids.toReversed())
      await plant(store, 'you', [lowest, 0n, highest])
      for (const limit of [undefined, 127, 128, 129, 255, 256, 257, 999, 1_000, 1_001, 2_499, 2_500, 2_501])
        expect(await namesOf(store, 'me', limit)).toEqual(ids.slice(0, limit).map(String))
    })

    test('a list of the longest plants comes in chunks of a bounded size', async () => {
      const store = await openNew()
      const longest = '\u0001'.repeat(255)
      await Promise.all(range(1n, 600).map((id) => store.create('me', { id, name: longest, tag: longest })))
      const sizes: number[] = []
      for await (const chunk of await listPages(store, 'me')) sizes.push(chunk.length)
      expect(sizes.length).toBeGreaterThan(3)
      expect(Math.max(...sizes)).toBeLessThan(700 * 1_024)
      expect(await plantsOf(store, 'me')).toEqual(Array.from({ length: 600 }, () => ({ name: longest, tag: longest })))
    })

    test('a list on its way stays whole for the plants that nobody changes meanwhile', async () => {
      const store = await openNew()
      const ids = range(1n, 3_500)
      await plant(store, 'me', ids, longTag)
      let text = ''
      for await (const chunk of await listPages(store, 'me')) {
        if (text === '')
          await Promise.all([
            plant(store, 'me', [0n, -7n, 5_000n]),
            ...[1n, 500n, 1_001n, 2_500n, 3_500n].map((id) => store.delete('me', id)),
          ])
        text += chunk.toString()
      }
      const listed = (JSON.parse(text) as Plant[]).map(({ name: id }) => BigInt(id))
      expect(listed).toEqual([...new Set(listed)].sort((a, b) => (a < b ? -1 : 1)))
      const changed = [0n, -7n, 1n, 500n, 1_001n, 2_500n, 3_500n, 5_000n]
      expect(listed.filter((id) => !changed.includes(id))).toEqual(ids.filter((id) => !changed.includes(id)))
    })

    test('a list that nobody reads to its end keeps nothing from going on', async () => {
      const store = await openNew()
      await plant(store, 'me', range(1n, 2_500), longTag)
      for await (const _first of await listPages(store, 'me')) break
      expect(await store.create('me', { id: 0n, name: 'a' })).toBe('created')
      await store.close()
    })

    test('callers have plants of their own, however alike their names', async () => {
      const store = await openNew()
      const callers = ['me', 'ME', 'me ', ' me', 'm', 'mé', 'me\u0301', '%', '_', 'me%', "me'--"]
      for (const [index, caller] of callers.entries())
        expect(await store.create(caller, { id: 54n, name: String(index) })).toBe('created')
      for (const [index, caller] of callers.entries()) expect(await namesOf(store, caller)).toEqual([String(index)])
      expect(await store.delete('me', 54n)).toBe('deleted')
      expect(await store.delete('me', 54n)).toBe('absent')
      for (const [index, caller] of callers.entries())
        expect(await namesOf(store, caller)).toEqual(caller === 'me' ? [] : [String(index)])
    })

    test('a create with an id that the caller already has gives `exists`, and the plant is unchanged', async () => {
      const store = await openNew()
      await store.create('me', { id: 54n, name: 'first', tag: 'one' })
      expect(await store.create('me', { id: 54n, name: 'second' })).toBe('exists')
      expect(await store.create('me', { id: 54n, name: 'third', tag: 'three' })).toBe('exists')
      expect(await listText(store, 'me')).toBe('[{"name":"first","tag":"one"}]')
    })

    test('a plant is deleted once, and its id is free again', async () => {
      const store = await openNew()
      expect(await store.delete('me', 54n)).toBe('absent')
      await store.create('me', { id: 54n, name: 'first', tag: 'one' })
      expect(await store.delete('me', 54n)).toBe('deleted')
      expect(await store.delete('me', 54n)).toBe('absent')
      expect(await listText(store, 'me')).toBe('[]')
      expect(await store.create('me', { id: 54n, name: 'second' })).toBe('created')
      expect(await listText(store, 'me')).toBe('[{"name":"second"}]')
    })

    test.each([lowest, -(2n ** 53n) - 1n, 2n ** 53n, 2n ** 53n + 1n, highest])(
      'the id %i is none of its neighbours',
      async (id) => {
        const store = await openNew()
        const neighbours = [id - 1n, id + 1n].filter((each) => each >= lowest && each <= highest)
        await plant(store, 'me', neighbours)
        expect(await store.delete('me', id)).toBe('absent')
        expect(await store.create('me', { id, name: 'new' })).toBe('created')
        expect(await store.delete('me', id)).toBe('deleted')
        expect(await namesOf(store, 'me')).toEqual(neighbours.map(String))
      },
    )

    test('of many creates of one id at once one is created, and its plant is the one that is kept', async () => {
      const store = await openNew()
      const outcomes = await Promise.all(
        range(0n, 50).map((index) => store.create('me', { id: 54n, name: String(index) })),
      )
      expect(outcomes.toSorted()).toEqual(['created', ...outcomes.slice(1).map(() => 'exists')])
      expect(await namesOf(store, 'me')).toEqual([String(outcomes.indexOf('created'))])
    })

    test('of many deletes of one plant at once, exactly one gives `deleted`', async () => {
      const store = await openNew()
      await plant(store, 'me', [54n])
      const outcomes = await Promise.all(range(0n, 50).map(() => store.delete('me', 54n)))
      expect(outcomes.toSorted()).toEqual([...outcomes.slice(1).map(() => 'absent'), 'deleted'])
    })

    test('of thousands of writes at once each has its own outcome', async () => {
      const store = await openNew()
      await plant(store, 'me', range(0n, 1_000))
      const outcomes = await Promise.all(
        range(0n, 2_000).map((id) =>
          id % 2n === 0n ? store.create('me', { id, name: `new ${String(id)}` }) : store.delete('me', id),
        ),
      )
      expect(outcomes).toEqual(
        range(0n, 2_000).map((id) =>
          id % 2n === 0n ? (id < 1_000n ? 'exists' : 'created') : id < 1_000n ? 'deleted' : 'absent',
        ),
      )
      const left = range(0n, 1_000).map((half) => half * 2n)
      expect(await namesOf(store, 'me')).toEqual(left.map((id) => (id < 1_000n ? String(id) : `new ${String(id)}`)))
    })

    test('two stores on the same data see what the other has written', async () => {
      const location = await kind.makeLocation()
      const [one, other] = [await open(location), await open(location)]
      expect(await one.create('me', { id: 1n, name: 'of one' })).toBe('created')
      expect(await namesOf(other, 'me')).toEqual(['of one'])
      expect(await other.create('me', { id: 1n, name: 'of the other' })).toBe('exists')
      expect(await other.delete('me', 1n)).toBe('deleted')
      expect(await namesOf(one, 'me')).toEqual([])
    })

    test('of creates of the same ids at once in two stores each id is created once', async () => {
      const location = await kind.makeLocation()
      const stores = [await open(location), await open(location)]
      const outcomes = await Promise.all(
        range(0n, 100).map((id) =>
          Promise.all(stores.map((store, index) => store.create('me', { id, name: String(index) }))),
        ),
      )
      expect(outcomes.map((pair) => pair.toSorted())).toEqual(outcomes.map(() => ['created', 'exists']))
      expect(await namesOf(stores[0]!, 'me')).toEqual(outcomes.map((pair) => String(pair.indexOf('created'))))
    })
  })

  describe(`the tokens of a ${name} store`, () => {
    test('a token has its caller, and a hash that differs in one bit has none', async () => {
      const store = await openNew()
      const mine = token({ caller: 'me' })
      expect(await store.addToken(mine)).toBe('added')
      await store.addToken(token({ caller: 'you' }))
      expect(await store.findCaller(mine.hash, 0)).toEqual({ caller: 'me' })
      const other = Uint8Array.from(mine.hash)
      other[31] = (other[31] ?? 0) ^ 1
      expect(await store.findCaller(other, 0)).toBe('unknown')
    })

    test('a token has its scopes, none of which may be there, or all rights', async () => {
      const store = await openNew()
      const scopes = [undefined, '', 'plants:read plants:write']
      const issued = scopes.map((scope, issuedAt) => token({ issuedAt, scope }))
      for (const each of issued) await store.addToken(each)
      const found = await Promise.all(issued.map(({ hash }) => store.findCaller(hash, 0)))
      expect(found).toStrictEqual(scopes.map((scope) => ({ caller: 'me', scope })))
      expect(await tokensOf(store)).toStrictEqual(issued.map(comparable))
    })

    test('a token is unknown from the millisecond on at which it expires', async () => {
      const store = await openNew()
      const short = token({ issuedAt: 1_795_000_000_000, expiresAt: 1_795_000_000_001 })
      const endless = token({ issuedAt: 1_795_000_000_000 })
      await store.addToken(short)
      await store.addToken(endless)
      expect(await store.findCaller(short.hash, 1_795_000_000_000)).toEqual({ caller: 'me' })
      expect(await store.findCaller(short.hash, 1_795_000_000_001)).toBe('unknown')
      expect(await store.findCaller(short.hash, 1_795_000_000_002)).toBe('unknown')
      expect(await store.findCaller(endless.hash, Number.MAX_SAFE_INTEGER)).toEqual({ caller: 'me' })
    })

    test('all tokens are listed as they were added, expired ones too, the oldest first', async () => {
      const store = await openNew()
      const tokens = [
        token({ issuedAt: 3 }),
        token({ issuedAt: 1, expiresAt: 2 }),
        token({ issuedAt: 2, caller: 'you' }),
        token({ issuedAt: 10 }),
      ]
      for (const each of tokens) await store.addToken(each)
      expect(await tokensOf(store)).toEqual(tokens.toSorted((a, b) => a.issuedAt - b.issuedAt).map(comparable))
    })

    test('revoking returns the token, which is unknown at once; the others stay', async () => {
      const store = await openNew()
      const [one, other] = [token({}), token({ expiresAt: 5 })]
      await store.addToken(one)
      await store.addToken(other)
      const revoked = await store.revokeTokens(other.prefix)
      expect(revoked === 'unavailable' ? revoked : revoked.map(comparable)).toEqual([comparable(other)])
      expect(await store.findCaller(other.hash, 0)).toBe('unknown')
      expect(await store.findCaller(one.hash, 0)).toEqual({ caller: 'me' })
      expect(await store.revokeTokens(other.prefix)).toEqual([])
    })

    test('tokens with one prefix are revoked together', async () => {
      const store = await openNew()
      for (const caller of ['me', 'you']) await store.addToken(token({ caller, prefix: 'plst_same00' }))
      const revoked = await store.revokeTokens('plst_same00')
      expect(revoked === 'unavailable' ? revoked : revoked.map(({ caller }) => caller).sort()).toEqual(['me', 'you'])
      expect(await store.listTokens()).toEqual([])
    })

    test.each(['', '%', '_', 'plst_', 'plst_%', 'PLST_ABCDEF', 'plst_abcde', 'plst_abcdefg'])(
      'the prefix %j is no other prefix, so that nothing is revoked by it',
      async (prefix) => {
        const store = await openNew()
        await store.addToken(token({ prefix: 'plst_abcdef' }))
        expect(await store.revokeTokens(prefix)).toEqual([])
        expect(await tokensOf(store)).toHaveLength(1)
      },
    )

    test('the last use of a token is stored once a minute at most, an earlier one if the clock went back', async () => {
      const store = await openNew()
      const [one, other, gone] = [token({ issuedAt: 1 }), token({ issuedAt: 2 }), token({ issuedAt: 3 })]
      for (const each of [one, other]) await store.addToken(each)
      const lastUses = async () => {
        const stored = await store.listTokens()
        return stored === 'unavailable' ? stored : stored.map(({ lastUsedAt }) => lastUsedAt)
      }
      expect(await lastUses()).toEqual([undefined, undefined])
      const at = 1_795_000_000_000
      expect(await store.recordUses([one, gone].map(({ hash }) => ({ hash, usedAt: at })))).toBe('recorded')
      expect(await lastUses()).toEqual([at, undefined])
      for (const later of [-60_000, 0, 59_999]) await store.recordUses([{ hash: one.hash, usedAt: at + later }])
      expect(await lastUses()).toEqual([at, undefined])
      await store.recordUses([one, other].map(({ hash }) => ({ hash, usedAt: at + 60_000 })))
      expect(await lastUses()).toEqual([at + 60_000, at + 60_000])
      await store.recordUses([{ hash: one.hash, usedAt: at - 1 }])
      expect(await lastUses()).toEqual([at - 1, at + 60_000])
    })

    test('what one store does to tokens holds in another on the same data at once', async () => {
      const location = await kind.makeLocation()
      const [one, other] = [await open(location), await open(location)]
      const issued = token({})
      await one.addToken(issued)
      expect(await other.findCaller(issued.hash, 0)).toEqual({ caller: 'me' })
      await one.revokeTokens(issued.prefix)
      expect(await other.findCaller(issued.hash, 0)).toBe('unknown')
    })
  })

  describe(`a ${name} store as a whole`, () => {
    test('is empty while it has neither a plant nor a token', async () => {
      const store = await openNew()
      const issued = token({})
      expect(await store.isEmpty()).toBe(true)
      await store.create('me', { id: 1n, name: 'a' })
      expect(await store.isEmpty()).toBe(false)
      await store.addToken(issued)
      await store.delete('me', 1n)
      expect(await store.isEmpty()).toBe(false)
      await store.revokeTokens(issued.prefix)
      expect(await store.isEmpty()).toBe(true)
    })

    test('is ready when it has been opened', async () => {
      expect(await (await openNew()).isReady()).toBe(true)
    })

    test('has everything when it is opened again', async () => {
      const location = await kind.makeLocation()
      const store = await open(location)
      const issued = token({ expiresAt: 2_000_000_000_000 })
      await store.addToken(issued)
      await store.create('me', { id: highest, name: '\u{1f331}', tag: 'e\u0301' })
      await store.create('you', { id: lowest, name: 'a' })
      await store.create('me', { id: 1n, name: 'gone' })
      await store.delete('me', 1n)
      await store.close()
      const reopened = await open(location)
      expect(await listText(reopened, 'me')).toBe('[{"name":"\u{1f331}","tag":"e\u0301"}]')
      expect(await listText(reopened, 'you')).toBe('[{"name":"a"}]')
      expect(await tokensOf(reopened)).toEqual([comparable(issued)])
    })

    test('gives `unavailable` for what is read once it closes, and reports no fault', async () => {
      const faults: Error[] = []
      const store = await kind.open(await kind.makeLocation(), (error) => void faults.push(error))
      const lists = [store.list('me', 1), store.list('me', 1), store.list('me', undefined)]
      await store.close()
      lists.push(store.list('me', 1), store.list('me', undefined))
      expect(await Promise.all(lists)).toEqual(lists.map(() => 'unavailable'))
      expect(faults).toEqual([])
    })

    test('finishes the writes that were begun when it is closed', async () => {
      const location = await kind.makeLocation()
      const store = await open(location)
      const outcomes = Promise.all(range(1n, 1_500).map((id) => store.create('me', { id, name: String(id) })))
      await store.close()
      expect(new Set(await outcomes)).toEqual(new Set(['created']))
      expect(await namesOf(await open(location), 'me')).toEqual(range(1n, 1_500).map(String))
    })
  })
}

/** Plants whose name is their id, by which a list shows which they are. */
async function plant(store: Store, caller: string, ids: bigint[], tag?: string): Promise<void> {
  await Promise.all(
    ids.map((id) => store.create(caller, { id, name: String(id), ...(tag === undefined ? {} : { tag }) })),
  )
}

/** Some of them fill a chunk of a list. */
const longTag = 'x'.repeat(255)

async function plantsOf(store: Store, caller: string, limit?: number): Promise<Plant[]> {
  return JSON.parse(await listText(store, caller, limit)) as Plant[]
}

async function namesOf(store: Store, caller: string, limit?: number): Promise<string[]> {
  return (await plantsOf(store, caller, limit)).map(({ name }) => name)
}

function range(first: bigint, count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => first + BigInt(index))
}

let tokens = 0

function token(given: Partial<StoredToken>): StoredToken {
  const number = String(++tokens)
  return {
    hash: createHash('sha256').update(number).digest(),
    prefix: `plst_${number.padStart(6, '0')}`,
    caller: 'me',
    issuedAt: 1_795_000_000_000,
    expiresAt: undefined,
    lastUsedAt: undefined,
    scope: undefined,
    ...given,
  }
}

/** Stores return the hash as different kinds of byte array. */
function comparable({ hash, ...rest }: StoredToken): object {
  return { ...rest, hash: Buffer.from(hash).toString('hex') }
}

async function tokensOf(store: Store): Promise<object[] | 'unavailable'> {
  const stored = await store.listTokens()
  return stored === 'unavailable' ? stored : stored.map(comparable)
}
