import assert from 'node:assert/strict'
import { type OfficialClient, type Values, all, at, call, eventsOf, liveThrough, make, shows } from './steps.ts'

export const mistral: OfficialClient = {
  package: '@mistralai/mistralai@2.7.0',
  contract: 'mistral.yaml',
  async run(steps, origin, module) {
    const client = make(module, 'Mistral', { apiKey: 'k', serverURL: origin })
    // The contract declares no 404.
    const isMissing = (error: unknown) => [404, 422].includes(Number(at(error, 'statusCode')))
    await liveThrough(steps, {
      name: 'agent',
      id: 'id',
      values: [
        { model: 'mistral-small', name: 'Gardener', instructions: 'Water.' },
        { model: 'mistral-large', name: 'Cook', description: 'cooks' },
      ],
      create: (values) => call(client, 'beta.agents.create', values),
      get: (agentId) => call(client, 'beta.agents.get', { agentId }),
      list: () => call(client, 'beta.agents.list', {}),
      change: { name: 'Head gardener' },
      update: (agentId, change) => call(client, 'beta.agents.update', { agentId, updateAgentRequest: change }),
      remove: (agentId) => call(client, 'beta.agents.delete', { agentId }),
      isMissing,
    })
    await liveThrough(steps, {
      name: 'library',
      id: 'id',
      values: [{ name: 'Books', description: 'all' }, { name: 'Papers' }],
      create: (values) => call(client, 'beta.libraries.create', values),
      get: (libraryId) => call(client, 'beta.libraries.get', { libraryId }),
      list: async () => at(await call(client, 'beta.libraries.list'), 'data'),
      remove: (libraryId) => call(client, 'beta.libraries.delete', { libraryId }),
      isMissing,
    })
    await liveThrough(steps, {
      name: 'file',
      id: 'id',
      values: [{ purpose: 'batch' }, { purpose: 'fine-tune' }],
      create: (values: Values) =>
        call(client, 'files.upload', { ...values, file: { fileName: 'a.jsonl', content: new Blob(['{"a":1}\n']) } }),
      get: (fileId) => call(client, 'files.retrieve', { fileId }),
      list: async () => at(await call(client, 'files.list', {}), 'data'),
      remove: (fileId) => call(client, 'files.delete', { fileId }),
      removed: (id) => ({ id, deleted: true }),
      isMissing,
    })
    const messages = [{ role: 'user', content: 'Hello' }]
    await steps.take('chat: complete', async () => {
      const reply = await call(client, 'chat.complete', { model: 'mistral-small', messages })
      assert.equal(typeof at(reply, 'choices.0.message'), 'object')
    })
    const streams = {
      'chat.stream': ['/chat/completions', { model: 'mistral-small', messages }],
      'fim.stream': ['/fim/completions', { model: 'codestral', prompt: 'def' }],
    } as const
    for (const [method, [path, values]] of Object.entries(streams)) {
      await steps.take(method, async () => {
        const events = await all(await call(client, method, values))
        const sent = await eventsOf(`${origin}/v1${path}`, { ...values, stream: true })
        // The client writes names in another style; these have one word.
        const choices = (event: unknown, path: string) => ({
          id: at(event, `${path}id`),
          model: at(event, `${path}model`),
        })
        assert.deepEqual(
          events.map((event) => choices(event, 'data.')),
          sent.map((event) => choices(event, '')),
        )
      })
    }
    await steps.take('conversation: start, get, history', async () => {
      const started = await call(client, 'beta.conversations.start', { model: 'mistral-small', inputs: 'Hello' })
      const conversationId = at(started, 'conversationId')
      assert.equal(typeof conversationId, 'string')
      shows(await call(client, 'beta.conversations.get', { conversationId }), { id: conversationId })
      shows(await call(client, 'beta.conversations.getHistory', { conversationId }), { conversationId })
    })
    steps.leaveOut('library: update', 'the client sends PATCH, the contract has PUT')
    steps.leaveOut('conversation: stream', 'the contract declares the stream at the path /v1/conversations#stream')
    await steps.take('embedding: create', async () => {
      const reply = await call(client, 'embeddings.create', { model: 'mistral-embed', inputs: ['Hello'] })
      assert.equal(typeof at(reply, 'data.0.embedding.0'), 'number')
    })
    await steps.take('job: create, get, list', async () => {
      const values = { model: 'mistral-small', endpoint: '/v1/chat/completions', inputFiles: [crypto.randomUUID()] }
      const job = await call(client, 'batch.jobs.create', values)
      const jobId = at(job, 'id')
      shows(job, values)
      shows(await call(client, 'batch.jobs.get', { jobId }), { id: jobId, ...values })
      const listed = at(await call(client, 'batch.jobs.list', {}), 'data')
      assert.ok(Array.isArray(listed) && listed.some((each) => at(each, 'id') === jobId), 'it is not listed')
    })
  },
}
