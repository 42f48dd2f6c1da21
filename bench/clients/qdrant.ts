import assert from 'node:assert/strict'
import { type OfficialClient, at, call, liveThrough, make } from './steps.ts'

export const qdrant: OfficialClient = {
  package: '@qdrant/js-client-rest@1.19.0',
  contract: 'qdrant.json',
  async run(steps, origin, module) {
    const client = make(module, 'QdrantClient', { url: origin, checkCompatibility: false })
    await liveThrough(steps, {
      name: 'collection',
      id: 'name',
      values: [
        { name: 'plants', vectors: { size: 4, distance: 'Cosine' } },
        { name: 'pots', vectors: { size: 2, distance: 'Dot' } },
      ],
      create: async ({ name, ...values }) => {
        assert.equal(await call(client, 'createCollection', name, values), true)
        return { name }
      },
      get: async (name) => {
        assert.equal(typeof at(await call(client, 'getCollection', name), 'status'), 'string')
        return { name }
      },
      list: async () => at(await call(client, 'getCollections'), 'collections'),
      shown: ({ name }) => ({ name }),
      remove: (name) => call(client, 'deleteCollection', name),
      removed: () => true,
    })
    steps.leaveOut('collection: its vectors', 'what PUT takes is a part of another object in what GET shows')
    await steps.take('point: upsert, query', async () => {
      const points = [{ id: 1, vector: [0.1, 0.2], payload: { city: 'Berlin' } }]
      assert.equal(typeof at(await call(client, 'upsert', 'pots', { points }), 'status'), 'string')
      assert.ok(Array.isArray(at(await call(client, 'query', 'pots', { query: [0.1, 0.2], limit: 3 }), 'points')))
    })
    steps.leaveOut(
      'point: get',
      'PUT …/points takes a batch: the contract does not say that these are the points of GET',
    )
    await steps.take('snapshot: create, list, delete', async () => {
      const name = at(await call(client, 'createSnapshot', 'pots'), 'name')
      const isListed = async () => {
        const listed = await call(client, 'listSnapshots', 'pots')
        return Array.isArray(listed) && listed.some((each) => at(each, 'name') === name)
      }
      assert.ok(await isListed(), 'it is not listed')
      assert.equal(await call(client, 'deleteSnapshot', 'pots', name), true)
      assert.ok(!(await isListed()), 'it is still listed')
    })
  },
}
