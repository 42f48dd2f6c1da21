import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Plant } from '../../src/plants/plant.ts'
import type { Store, StoredToken, TokenSelection } from '../../src/store/store.ts'
import { awkwardTexts } from '../support/client/awkward-texts.ts'
import { listPages, listText, namesOf, plantsOf } from './list-text.ts'
import { shownPlant, storedPlant } from '../support/plants.ts'

/** A kind of store, as the suite uses it. */
export interface StoreKind<Location> {
  /** Creates an empty location, which is removed when the test is finished. */
  makeLocation: () => Promise<Location>
  /** Opens a store at a location. A fault fails the test, unless `onFault` is given. */
  open: (location: Location, onFault?: (error: Error) => void) => Store | Promise<Store>
}

/** Every code point but U+0000 and the surrogates. The unit `binary` of fast-check takes a second to make. */
const characters = fc
  .integer({ min: 1, max: 0x10ffff })
  .map((codePoint) => String.fromCodePoint(codePoint))
  .filter((text) => text.isWellFormed())

const lowest = -(2n ** 63n)
const highest = 2n ** 63n - 1n

/** Fails a test whose store has an unexpected fault. */
export function throwFault(fault: Error): void {
  throw fault
}

/** Tests each sentence of the interface `Store` on one kind of store. */
export function storeSuite<Location>(name: string, kind: StoreKind<Location>): void {
  /** Opens a store, which is closed after the test at the latest. */
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
    test('a list is the text of JSON.stringify, whatever the names', async () => {
      const store = await openNew()
      // Every text that the contract allows: no U+0000, no lone surrogates.
      const text = fc.string({ unit: characters, minLength: 1, maxLength: 40 })
      const known = [
        ...Array.from({ length: 0x100 }, (_, code) => String.fromCodePoint(code + 1)),
        ...awkwardTexts.map(([, value]) => value),
      ]
      let callers = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ name: text, tag: text }, { requiredKeys: ['name'] }), { minLength: 1, maxLength: 30 }),
          async (plants) => {
            const caller = `caller ${String(++callers)}`
            await Promise.all(plants.map((each, id) => store.create(caller, storedPlant({ id: BigInt(id), ...each }))))
            // Short and long lists use different statements.
            for (const limit of [undefined, 128]) {
              expect(await listText(store, caller, limit)).toBe(JSON.stringify(plants.slice(0, limit).map(shownPlant)))
            }
          },
        ),
        { numRuns: 8, examples: [[known.map((value) => ({ name: value, tag: value }))]] },
      )
    })

    test('concurrent lists have their own caller and limit', async () => {
      const store = await openNew()
      const callers = range(0n, 100).map((number) => `caller ${String(number)}`)
      await Promise.all(callers.map((caller) => plant(store, caller, [3n, -1n, 2n])))
      const limits = [0, 1, 2, 3, 4, 128, 129, 2_147_483_647, undefined]
      const asked = callers.map((caller, index) => [caller, limits[index % limits.length]] as const)
      const lists = await Promise.all(asked.map(([caller, limit]) => namesOf(store, caller, limit)))
      expect(lists).toEqual(asked.map(([, limit]) => ['-1', '2', '3'].slice(0, limit)))
      expect(await namesOf(store, 'nobody', 5)).toEqual([])
    })

    test('a list of thousands is complete and in order at any limit', async () => {
      const store = await openNew()
      const near = [0n, 10n, 2n ** 53n].flatMap((id) => range(id - 2n, 5))
      const ids = [...range(lowest, 1_245), ...near, ...range(highest - 1_239n, 1_240)]
      await plant(store, 'me', ids.toReversed())
      await plant(store, 'you', [lowest, 0n, highest])
      for (const limit of [undefined, 127, 128, 129, 256, 257, 1_000, 1_001, 2_499, 2_500, 2_501])
        expect(await namesOf(store, 'me', limit)).toEqual(ids.slice(0, limit).map(String))
    })

    test('a list of the longest plants has chunks of bounded size', async () => {
      const store = await openNew()
      const longest = '\u0001'.repeat(255)
      await Promise.all(
        range(1n, 600).map((id) => store.create('me', storedPlant({ id, name: longest, tag: longest }))),
      )
      const sizes: number[] = []
      for await (const chunk of await listPages(store, 'me')) sizes.push(chunk.length)
      expect(sizes.length).toBeGreaterThan(3)
      expect(Math.max(...sizes)).toBeLessThan(700 * 1_024)
      const plant = shownPlant({ name: longest, tag: longest })
      expect(await plantsOf(store, 'me')).toEqual(Array.from({ length: 600 }, () => plant))
    })

    test('a list keeps all unchanged plants while others are created and deleted', async () => {
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

    test('an abandoned list blocks neither writes nor the close', async () => {
      const store = await openNew()
      await plant(store, 'me', range(1n, 2_500), longTag)
      for await (const _first of await listPages(store, 'me')) break
      expect(await store.create('me', storedPlant({ id: 0n, name: 'a' }))).toBe('created')
      await store.close()
    })

    test('callers with similar names have separate plants', async () => {
      const store = await openNew()
      const callers = ['me', 'ME', 'me ', ' me', 'm', 'mé', 'me\u0301', '%', '_', 'me%', "me'--"]
      for (const [index, caller] of callers.entries())
        expect(await store.create(caller, storedPlant({ id: 54n, name: String(index) }))).toBe('created')
      for (const [index, caller] of callers.entries()) expect(await namesOf(store, caller)).toEqual([String(index)])
      expect(await store.delete('me', 54n)).toBe('deleted')
      expect(await store.delete('me', 54n)).toBe('absent')
      for (const [index, caller] of callers.entries())
        expect(await namesOf(store, caller)).toEqual(caller === 'me' ? [] : [String(index)])
    })

    test('ids that one double cannot tell apart are different plants', async () => {
      const store = await openNew()
      for (const id of [lowest, -(2n ** 53n) - 1n, 2n ** 53n, 2n ** 53n + 1n, highest]) {
        const caller = String(id)
        const neighbours = [id - 1n, id + 1n].filter((each) => each >= lowest && each <= highest)
        await plant(store, caller, neighbours)
        expect(await store.delete(caller, id)).toBe('absent')
        expect(await store.create(caller, storedPlant({ id, name: 'new' }))).toBe('created')
        expect(await store.delete(caller, id)).toBe('deleted')
        expect(await namesOf(store, caller)).toEqual(neighbours.map(String))
      }
    })

    test('thousands of concurrent writes keep their outcomes and the order of each plant', async () => {
      const store = await openNew()
      const kept = new Map<string, string>()
      const expected: string[] = []
      const outcomes = Array.from({ length: 2_000 }, (_, number) => {
        const id = BigInt((number * 7_919) % 61)
        const caller = `caller ${String((number * 104_729) % 3)}`
        const key = `${caller} ${String(id)}`
        if ((number * 31) % 5 < 2) {
          expected.push(kept.delete(key) ? 'deleted' : 'absent')
          return store.delete(caller, id)
        }
        expected.push(kept.has(key) ? 'exists' : 'created')
        if (!kept.has(key)) kept.set(key, String(number))
        return store.create(caller, storedPlant({ id, name: String(number) }))
      })
      expect(await Promise.all(outcomes)).toEqual(expected)
      const names = await Promise.all([0, 1, 2].map((caller) => namesOf(store, `caller ${String(caller)}`)))
      expect(names.flat().sort()).toEqual([...kept.values()].sort())
    })

    test('two stores that create the same ids at once create each id once', async () => {
      const location = await kind.makeLocation()
      const stores = [await open(location), await open(location)]
      const outcomes = await Promise.all(
        range(0n, 100).map((id) =>
          Promise.all(stores.map((store, index) => store.create('me', storedPlant({ id, name: String(index) })))),
        ),
      )
      expect(outcomes.map((pair) => pair.toSorted())).toEqual(outcomes.map(() => ['created', 'exists']))
      expect(await namesOf(stores[0]!, 'me')).toEqual(outcomes.map((pair) => String(pair.indexOf('created'))))
    })
  })

  describe(`the SQL of a ${name} store`, () => {
    const insert = 'INSERT INTO plants (caller, id, name) VALUES (?, ?, ?) RETURNING id'
    const names = 'SELECT id, name FROM plants WHERE caller = ? ORDER BY id'

    test('a write returns its rows once they are stored, and reads see it', async () => {
      const store = await openNew()
      expect(await store.write('me', insert, ['me', highest, 'a?'])).toEqual([{ id: expect.anything() as unknown }])
      const rows = await store.read('me', names, ['me'])
      expect(rows).toMatchObject([{ name: 'a?' }])
      expect(rows === 'unavailable' ? [] : rows.map(({ id }) => BigInt(id as string))).toEqual([highest])
      expect(await namesOf(store, 'me')).toEqual(['a?'])
      expect(await store.write('me', 'DELETE FROM plants WHERE caller = ?', ['me'])).toEqual([])
      expect(await store.read('me', names, ['me'])).toEqual([])
    })

    test('a write that breaks a constraint fails alone, and those of a caller keep their order', async () => {
      const store = await openNew()
      const [first, again, ...others] = await Promise.allSettled([
        store.write('me', insert, ['me', 1n, 'a']),
        store.write('me', insert, ['me', 1n, 'b']),
        store.write('me', 'UPDATE plants SET name = ? WHERE caller = ? AND id = ?', ['c', 'me', 1n]),
        store.create('me', storedPlant({ id: 2n, name: 'd' })),
      ])
      expect([first.status, again.status]).toEqual(['fulfilled', 'rejected'])
      expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      expect(await namesOf(store, 'me')).toEqual(['c', 'd'])
    })

    test('a statement that checks and writes keeps its condition, whatever runs at once', async () => {
      const location = await kind.makeLocation()
      const stores = [await open(location), await open(location)]
      const insertBelow = `INSERT INTO plants (caller, id, name) SELECT ?, ?, ?
        WHERE (SELECT count(*) FROM plants WHERE caller = ?) < 5 ON CONFLICT DO NOTHING RETURNING id`
      const outcomes = await Promise.all(
        range(0n, 64).map((id) => stores[Number(id % 2n)]!.write('me', insertBelow, ['me', id, 'a', 'me'])),
      )
      expect(outcomes.filter((rows) => rows.length === 1)).toHaveLength(5)
      expect(outcomes.filter((rows) => rows.length === 0)).toHaveLength(59)
      expect(await namesOf(stores[0]!, 'me')).toHaveLength(5)
    })
  })

  describe(`the tokens of a ${name} store`, () => {
    test('a token keeps its scopes: some, none, or all rights', async () => {
      const store = await openNew()
      const scopes = [undefined, '', 'plants:read plants:write']
      const issued = scopes.map((scope, issuedAt) => token({ issuedAt, scope }))
      for (const each of issued) await store.addToken(each)
      const found = await Promise.all(issued.map(({ hash }) => store.findCaller(hash, 0)))
      expect(found).toStrictEqual(scopes.map((scope) => ({ caller: 'me', scope })))
      expect(await tokensOf(store)).toStrictEqual(issued.map(comparable))
    })

    test('revoking a prefix removes its tokens at once and returns them', async () => {
      const store = await openNew()
      const prefix = 'plst_abcdef'
      const [mine, yours, other] = [token({ prefix }), token({ prefix, expiresAt: 5 }), token({ issuedAt: 1 })]
      for (const each of [mine, yours, other]) await store.addToken(each)
      for (const unlike of ['', '%', '_', 'plst_', 'plst_%', 'PLST_ABCDEF', 'plst_abcde', 'plst_abcdefg']) {
        expect(await store.revokeTokens({ prefix: unlike })).toEqual([])
      }
      const revoked = await store.revokeTokens({ prefix })
      expect(new Set(revoked === 'unavailable' ? [] : revoked.map(comparable))).toEqual(
        new Set([mine, yours].map(comparable)),
      )
      expect(await Promise.all([mine, yours].map(({ hash }) => store.findCaller(hash, 0)))).toEqual([
        'unknown',
        'unknown',
      ])
      expect(await tokensOf(store)).toEqual([comparable(other)])
    })

    test.each<[string, TokenSelection, (token: StoredToken) => boolean]>([
      ['of a caller', { caller: 'you' }, ({ caller }) => caller === 'you'],
      ['that have expired', { expiredBy: 5 }, ({ expiresAt }) => expiresAt !== undefined && expiresAt <= 5],
    ])('revoking the tokens %s removes these and no others', async (_name, selection, isRevoked) => {
      const store = await openNew()
      const tokens = ['me', 'you', 'YOU', 'your'].flatMap((caller, index) =>
        [undefined, 4, 5, 6].map((expiresAt, second) => token({ caller, expiresAt, issuedAt: 10 * index + second })),
      )
      for (const each of tokens.toReversed()) await store.addToken(each)
      const revoked = await store.revokeTokens(selection)
      const byIssue = revoked === 'unavailable' ? [] : revoked.toSorted((a, b) => a.issuedAt - b.issuedAt)
      expect(byIssue.map(comparable)).toEqual(tokens.filter(isRevoked).map(comparable))
      expect(await tokensOf(store)).toEqual(tokens.filter((each) => !isRevoked(each)).map(comparable))
      expect(await store.revokeTokens(selection)).toEqual([])
    })

    test('concurrent token lookups each use their own hash and time', async () => {
      const store = await openNew()
      const issued = range(0n, 600).map((number) => token({ caller: String(number), expiresAt: Number(number) + 1 }))
      await Promise.all(issued.map((each) => store.addToken(each)))
      const asked = issued.flatMap(({ hash }, index) => [index, index + 1].map((now) => store.findCaller(hash, now)))
      expect(await Promise.all(asked)).toEqual(issued.flatMap(({ caller }) => [{ caller }, 'unknown']))
      const endless = token({})
      await store.addToken(endless)
      expect(await store.findCaller(endless.hash, Number.MAX_SAFE_INTEGER)).toEqual({ caller: 'me' })
    })

    test('the last use is stored once a minute, or when the clock was set back', async () => {
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
  })

  describe(`a ${name} store as a whole`, () => {
    test('is ready, and empty until it has a plant or a token', async () => {
      const store = await openNew()
      const issued = token({})
      expect([await store.isEmpty(), await store.isReady()]).toEqual([true, true])
      await store.create('me', storedPlant({ id: 1n, name: 'a' }))
      expect(await store.isEmpty()).toBe(false)
      await store.addToken(issued)
      await store.delete('me', 1n)
      expect(await store.isEmpty()).toBe(false)
      await store.revokeTokens({ prefix: issued.prefix })
      expect(await store.isEmpty()).toBe(true)
    })

    test('sees at once what another store on the same data does', async () => {
      const location = await kind.makeLocation()
      const [one, other] = [await open(location), await open(location)]
      const issued = token({})
      await one.create('me', storedPlant({ id: 1n, name: 'of one' }))
      await one.addToken(issued)
      expect(await namesOf(other, 'me')).toEqual(['of one'])
      expect(await other.findCaller(issued.hash, 0)).toEqual({ caller: 'me' })
      expect(await other.create('me', storedPlant({ id: 1n, name: 'of the other' }))).toBe('exists')
      expect(await other.delete('me', 1n)).toBe('deleted')
      await other.revokeTokens({ prefix: issued.prefix })
      expect(await namesOf(one, 'me')).toEqual([])
      expect(await one.findCaller(issued.hash, 0)).toBe('unknown')
    })

    test('returns `unavailable` for reads after its close, without a fault', async () => {
      const faults: Error[] = []
      const store = await kind.open(await kind.makeLocation(), (error) => void faults.push(error))
      const lists = [store.list('me', 1), store.list('me', 1), store.list('me', undefined)]
      await store.close()
      lists.push(store.list('me', 1), store.list('me', undefined))
      expect(await Promise.all(lists)).toEqual(lists.map(() => 'unavailable'))
      expect(faults).toEqual([])
    })

    test('completes pending writes when it is closed', async () => {
      const location = await kind.makeLocation()
      const store = await open(location)
      const outcomes = Promise.all(
        range(1n, 1_500).map((id) => store.create('me', storedPlant({ id, name: String(id) }))),
      )
      await store.close()
      expect(new Set(await outcomes)).toEqual(new Set(['created']))
      expect(await namesOf(await open(location), 'me')).toEqual(range(1n, 1_500).map(String))
    })
  })
}

/** Creates plants that are named after their ids. */
async function plant(store: Store, caller: string, ids: bigint[], tag?: string): Promise<void> {
  await Promise.all(
    ids.map((id) => store.create(caller, storedPlant({ id, name: String(id), ...(tag === undefined ? {} : { tag }) }))),
  )
}

/** Plants with it soon fill a chunk of a list. */
const longTag = 'x'.repeat(255)

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
