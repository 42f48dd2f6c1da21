import { type OfficialClient, type Values, at, call, callNow, liveThrough, make, page, plain } from './steps.ts'

export const twilio: OfficialClient = {
  package: 'twilio@6.3.1',
  contract: 'twilio.json',
  async run(steps, origin, module) {
    const requests = make(at(module, 'default'), 'RequestClient')
    // The client asks hosts of its company alone, unless another one sends its requests.
    const httpClient = {
      request: (options: { uri: string }) => {
        const { pathname, search } = new URL(options.uri)
        return call(requests, 'request', { ...options, uri: `${origin}${pathname}${search}` })
      },
    }
    const sid = `AC${'0'.repeat(32)}`
    const client = callNow(module, 'default', sid, 'secret', { httpClient })
    const kind = (name: string) => {
      const one = (id: string) => callNow(client, name, id)
      // Where a date is missing, the client says that it is now.
      const noDates = { dateCreated: null, dateUpdated: null, dateSent: null }
      return {
        id: 'sid',
        create: (values: Values) => call(client, `${name}.create`, values),
        // What it fetches is an object.
        get: async (id: string) => ({ ...(plain(await call(one(id), 'fetch')) as Values), ...noDates }),
        list: () => call(client, `${name}.list`, { limit: 50 }),
        update: (id: string, change: Values) => call(one(id), 'update', change),
        remove: (id: string) => call(one(id), 'remove'),
        removed: () => true,
      }
    }
    await liveThrough(steps, {
      ...kind('queues'),
      name: 'queue',
      values: [
        { friendlyName: 'Front', maxSize: 10 },
        { friendlyName: 'Back', maxSize: 20 },
      ],
      change: { friendlyName: 'First' },
    })
    await liveThrough(steps, {
      ...kind('applications'),
      name: 'application',
      values: [
        { friendlyName: 'Shop', voiceUrl: 'https://example.com/1', voiceMethod: 'GET' },
        { friendlyName: 'Desk', smsUrl: 'https://example.com/2' },
      ],
      change: { friendlyName: 'Store' },
    })
    await liveThrough(steps, {
      ...kind('messages'),
      name: 'message',
      values: [
        { to: '+14155550001', from: '+14155550002', body: 'Hello' },
        { to: '+14155550003', from: '+14155550002', body: 'Again' },
      ],
      change: { body: '' },
    })
    await liveThrough(steps, {
      ...kind('keys'),
      name: 'key',
      create: (values: Values) => call(client, 'newKeys.create', values),
      values: [{ friendlyName: 'One' }, { friendlyName: 'Two' }],
      change: { friendlyName: 'Three' },
    })
    await page(
      steps,
      'address',
      (index) =>
        call(client, 'addresses.create', {
          customerName: `C${String(index)}`,
          street: 'S 1',
          city: 'Berlin',
          region: 'BE',
          postalCode: '10115',
          isoCountry: 'DE',
        }),
      async () => (await call(client, 'addresses.list', { pageSize: 2 })) as unknown[],
      'sid',
    )
  },
}
