import assert from 'node:assert/strict'
import { type OfficialClient, all, at, call, eventsOf, liveThrough, make, page, plain, shows } from './steps.ts'

export const openai: OfficialClient = {
  package: 'openai@7.59.0',
  contract: 'openai.yaml',
  async run(steps, origin, module) {
    const client = make(module, 'default', { apiKey: 'sk-1', baseURL: `${origin}/v1`, maxRetries: 0 })
    const kind = (name: string) => ({
      id: 'id',
      create: (values: object) => call(client, `${name}.create`, values),
      get: (id: string) => call(client, `${name}.retrieve`, id),
      list: async () => all(await call(client, `${name}.list`)),
      update: (id: string, change: object) => call(client, `${name}.update`, id, change),
      remove: (id: string) => call(client, `${name}.delete`, id),
      removed: (id: string) => ({ id, deleted: true }),
    })
    await liveThrough(steps, {
      ...kind('vectorStores'),
      name: 'vector store',
      values: [{ name: 'Plants', metadata: { kind: 'fern' } }, { name: 'Pots' }],
      change: { name: 'Trees' },
    })
    await liveThrough(steps, {
      ...kind('beta.assistants'),
      name: 'assistant',
      values: [
        { model: 'gpt-4o', name: 'Gardener', instructions: 'Water.' },
        { model: 'gpt-4o', name: 'Cook', tools: [{ type: 'file_search' }] },
      ],
      change: { instructions: 'Prune.' },
    })
    steps.leaveOut('assistant: update keeps its tools', 'the contract gives an update without tools the default []')
    const { list: _, ...conversations } = kind('conversations')
    await liveThrough(steps, {
      ...conversations,
      name: 'conversation',
      values: [{ metadata: { topic: 'ferns' } }, { metadata: { topic: 'pots' } }],
      change: { metadata: { topic: 'moss' } },
    })
    const { update: __, ...files } = kind('files')
    await liveThrough(steps, {
      ...files,
      name: 'file',
      values: [{ purpose: 'batch' }, { purpose: 'fine-tune' }],
      create: async (values) => {
        const file = new File(['{"a":1}\n'], 'a.jsonl', { type: 'application/jsonl' })
        return await call(client, 'files.create', { file, ...values })
      },
    })
    const messages = [{ role: 'user', content: 'Hello' }]
    await steps.take('chat completion: create', async () => {
      const reply = await call(client, 'chat.completions.create', { model: 'gpt-4o', messages })
      shows(reply, { object: 'chat.completion' })
      assert.equal(typeof at(reply, 'choices.0.message'), 'object')
    })
    await steps.take('response: create, get', async () => {
      const reply = await call(client, 'responses.create', { model: 'gpt-4o', input: 'Hello' })
      shows(reply, { object: 'response' })
      shows(await call(client, 'responses.retrieve', at(reply, 'id')), { id: at(reply, 'id') })
    })
    const streams = {
      'chat.completions.create': ['/chat/completions', { model: 'gpt-4o', messages, stream: true }],
      'responses.create': ['/responses', { model: 'gpt-4o', input: 'Hello', stream: true }],
      'images.generate': ['/images/generations', { model: 'gpt-image-1', prompt: 'A fern', stream: true }],
    } as const
    for (const [method, [path, values]] of Object.entries(streams)) {
      await steps.take(`${method}: stream`, async () => {
        const events = await all(await call(client, method, values))
        assert.deepEqual(plain(events), await eventsOf(`${origin}/v1${path}`, values))
      })
    }
    await steps.take('audio.transcriptions.create: stream', async () => {
      const values = { model: 'gpt-4o-transcribe', file: new File(['a'], 'a.mp3'), stream: true }
      const events = await all(await call(client, 'audio.transcriptions.create', values))
      assert.ok(events.length > 1, `there are ${String(events.length)} events`)
      for (const event of events) assert.match(String(at(event, 'type')), /^transcript\.text\./)
    })
    steps.leaveOut('thread: create and run, stream', 'the contract declares no event stream')
    await steps.take('thread: messages', async () => {
      const thread = at(await call(client, 'beta.threads.create', {}), 'id')
      const other = at(await call(client, 'beta.threads.create', {}), 'id')
      const message = await call(client, 'beta.threads.messages.create', thread, { role: 'user', content: 'Hello' })
      const id = at(message, 'id')
      shows(message, { role: 'user' })
      shows(await call(client, 'beta.threads.messages.retrieve', id, { thread_id: thread }), { id })
      const isListed = async (of: unknown) =>
        (await all(await call(client, 'beta.threads.messages.list', of))).some((each) => at(each, 'id') === id)
      assert.ok(await isListed(thread), 'it is not listed')
      assert.ok(!(await isListed(other)), 'it is listed in another thread')
    })
    await steps.take('embedding: create', async () => {
      const reply = await call(client, 'embeddings.create', { model: 'm', input: 'Hello', encoding_format: 'float' })
      assert.equal(typeof at(reply, 'data.0.embedding.0'), 'number')
    })
    await page(
      steps,
      'batch',
      () =>
        call(client, 'batches.create', {
          input_file_id: 'f',
          endpoint: '/v1/chat/completions',
          completion_window: '24h',
        }),
      async () => all(await call(client, 'batches.list', { limit: 2 })),
      'id',
    )
  },
}
