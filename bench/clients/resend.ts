import { type OfficialClient, at, call, liveThrough, make, page, shows } from './steps.ts'

export const resend: OfficialClient = {
  package: 'resend@6.38.0',
  contract: 'resend.yaml',
  async run(steps, origin, module) {
    const client = make(module, 'Resend', 're_1', { baseUrl: origin })
    /** The client returns errors. */
    const ask = async (path: string, ...values: unknown[]) => {
      const reply = await call(client, path, ...values)
      const error = at(reply, 'error')
      if (error !== null) throw Object.assign(new Error(JSON.stringify(error)), error)
      return at(reply, 'data')
    }
    const kind = (name: string) => ({
      id: 'id',
      get: (id: string) => ask(`${name}.get`, id),
      list: async () => at(await ask(`${name}.list`), 'data'),
      remove: (id: string) => ask(`${name}.remove`, id),
    })
    await liveThrough(steps, {
      ...kind('domains'),
      name: 'domain',
      values: [{ name: 'example.com', region: 'eu-west-1' }, { name: 'example.org' }],
      create: (values) => ask('domains.create', values),
      removed: (id) => ({ id, deleted: true }),
    })
    await liveThrough(steps, {
      ...kind('contacts'),
      name: 'contact',
      values: [
        { email: 'ann@example.com', firstName: 'Ann' },
        { email: 'bob@example.com', firstName: 'Bob' },
      ],
      create: (values) => ask('contacts.create', values),
      replies: false,
      shown: ({ firstName, ...others }) => ({ ...others, first_name: firstName }),
      change: { firstName: 'Anna' },
      update: (id, change) => ask('contacts.update', { id, ...change }),
    })
    await liveThrough(steps, {
      ...kind('segments'),
      name: 'segment',
      values: [{ name: 'Friends' }, { name: 'Others' }],
      create: (values) => ask('segments.create', values),
      replies: false,
    })
    await liveThrough(steps, {
      ...kind('webhooks'),
      name: 'webhook',
      values: [
        { endpoint: 'https://example.com/1', events: ['email.sent'] },
        { endpoint: 'https://example.com/2', events: ['email.opened'] },
      ],
      create: (values) => ask('webhooks.create', values),
      replies: false,
      change: { endpoint: 'https://example.com/3' },
      update: (id, change) => ask('webhooks.update', id, change),
    })
    await liveThrough(steps, {
      ...kind('broadcasts'),
      name: 'broadcast',
      values: [
        { segmentId: 's1', from: 'a@example.com', subject: 'Hello', html: '<p>1</p>', name: 'First' },
        { segmentId: 's2', from: 'b@example.com', subject: 'Again', html: '<p>2</p>', name: 'Second' },
      ],
      create: (values) => ask('broadcasts.create', values),
      replies: false,
      shown: ({ name }) => ({ name }),
      change: { name: 'Third' },
      update: (id, change) => ask('broadcasts.update', id, change),
    })
    await steps.take('email: send, get', async () => {
      const email = { from: 'a@example.com', to: ['b@example.com'], subject: 'Hello', html: '<p>1</p>' }
      const id = at(await ask('emails.send', email), 'id')
      shows(await ask('emails.get', id), { id, ...email })
    })
    await page(
      steps,
      'topic',
      (index) => ask('topics.create', { name: `Topic ${String(index)}`, defaultSubscription: 'opt_in' }),
      async () => {
        const things: unknown[] = []
        for (let after: unknown, more = true; more; after = at(things.at(-1), 'id')) {
          const listed = await ask('topics.list', { limit: 2, ...(after === undefined ? {} : { after }) })
          const data = at(listed, 'data')
          if (!Array.isArray(data) || data.length === 0 || things.length > 50) break
          things.push(...(data as unknown[]))
          more = at(listed, 'has_more') === true
        }
        return things
      },
      'id',
    )
  },
}
