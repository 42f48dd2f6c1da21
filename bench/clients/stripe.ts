import assert from 'node:assert/strict'
import { type OfficialClient, all, at, call, callNow, liveThrough, make, page, shows } from './steps.ts'

export const stripe: OfficialClient = {
  package: 'stripe@23.1.0',
  contract: 'stripe.json',
  async run(steps, origin, module) {
    const { hostname: host, port } = new URL(origin)
    const client = make(module, 'default', 'sk_test_1', { host, port, protocol: 'http', maxNetworkRetries: 0 })
    const kind = (name: string) => ({
      id: 'id',
      create: (values: object) => call(client, `${name}.create`, values),
      get: (id: string) => call(client, `${name}.retrieve`, id),
      list: async () => at(await call(client, `${name}.list`, { limit: 100 }), 'data'),
      update: (id: string, change: object) => call(client, `${name}.update`, id, change),
      remove: (id: string) => call(client, `${name}.del`, id),
      removed: (id: string) => ({ id, deleted: true }),
    })
    await liveThrough(steps, {
      ...kind('customers'),
      name: 'customer',
      values: [
        { name: 'Ann', email: 'ann@example.com', metadata: { tier: 'gold' } },
        { name: 'Bob', description: 'second' },
      ],
      change: { name: 'Anna', metadata: { tier: 'silver' } },
    })
    await liveThrough(steps, {
      ...kind('products'),
      name: 'product',
      values: [
        { name: 'Pot', active: true },
        { name: 'Fern', description: 'green' },
      ],
      change: { name: 'Large pot', active: false },
    })
    await liveThrough(steps, {
      ...kind('coupons'),
      name: 'coupon',
      values: [
        { id: 'SPRING', duration: 'once', percent_off: 25 },
        { name: 'Ten', duration: 'forever', percent_off: 10 },
      ],
      change: { name: 'Spring' },
    })
    const { remove: _, ...intents } = kind('paymentIntents')
    await liveThrough(steps, {
      ...intents,
      name: 'payment intent',
      values: [
        { amount: 1999, currency: 'eur' },
        { amount: 500, currency: 'usd', description: 'tip' },
      ],
      change: { amount: 2099 },
    })
    await steps.take('payment intent: cancel', async () => {
      const intent = await call(client, 'paymentIntents.create', { amount: 700, currency: 'eur' })
      const id = at(intent, 'id')
      shows(await call(client, 'paymentIntents.cancel', id), { id, amount: 700 })
    })
    await steps.take('price: of a product', async () => {
      const product = at(await call(client, 'products.create', { name: 'Moss' }), 'id')
      const price = await call(client, 'prices.create', { product, currency: 'eur', unit_amount: 250 })
      shows(price, { product, currency: 'eur', unit_amount: 250 })
      shows(await call(client, 'prices.retrieve', at(price, 'id')), { product, unit_amount: 250 })
    })
    await steps.take('tax id: apart for each customer', async () => {
      const customers = [
        at(await call(client, 'customers.create', { name: 'A' }), 'id'),
        at(await call(client, 'customers.create', { name: 'B' }), 'id'),
      ]
      const values = { type: 'eu_vat', value: 'DE123456789' }
      const taxId = await call(client, 'customers.createTaxId', customers[0], values)
      shows(taxId, values)
      const isListed = async (of: unknown) => {
        const listed = at(await call(client, 'customers.listTaxIds', of), 'data')
        return Array.isArray(listed) && listed.some((each) => at(each, 'id') === at(taxId, 'id'))
      }
      assert.ok(await isListed(customers[0]), 'it is not listed')
      assert.ok(!(await isListed(customers[1])), 'it is listed of another customer')
    })
    await page(
      steps,
      'plan',
      (index) => call(client, 'plans.create', { amount: index, currency: 'eur', interval: 'month', product: 'p' }),
      () => all(callNow(client, 'plans.list', { limit: 2 })),
      'id',
    )
  },
}
