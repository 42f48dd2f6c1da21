import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { type Contract, serve, signalOf } from 'fastify-contract'
import { sealContract } from 'fastify-contract/document'
import type { Browser, Locator } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startApp } from '../support/server/start-app.ts'
import { execute, findChromium, launchChromium, lowContrasts, openDocsPage, unfoldAll } from './docs-page.ts'
import { storedPlant } from '../support/plants.ts'

const chromium = findChromium(process.env)
const missing = 'no Chromium under its usual names in PATH, and CHROMIUM_PATH is not set'
// In CI nothing is left out: without a browser the tests fail.
const isLeftOut = chromium === undefined && process.env['CI'] !== 'true'
if (isLeftOut) console.warn(`LEFT OUT: the docs page was not tested in a real browser; ${missing}`)

describe.skipIf(isLeftOut)(`the docs page in Chromium${isLeftOut ? ` (LEFT OUT: ${missing})` : ''}`, () => {
  let browser: Browser

  beforeAll(async () => {
    if (chromium === undefined) throw new Error(missing)
    browser = await launchChromium(chromium)
    return () => browser.close()
  })

  async function open() {
    const app = await startApp()
    return { ...app, ...(await openDocsPage(browser, await app.listen())) }
  }

  test('creates, lists and deletes a plant, and stays authorized after a reload', async () => {
    const { page, faults, authorize, unfold, token } = await open()
    expect(await page.title()).toBe('Plant Store')
    expect(await page.locator('[src*="validator"], [href*="validator"]').count()).toBe(0)
    await authorize(token)
    expect(await execute(page, await unfold('createPlant'))).toMatchObject({ method: 'POST', status: '200' })

    await page.reload()
    const listed = await execute(page, await unfold('listPlants'))
    expect(listed).toMatchObject({ method: 'GET', status: '200' })
    expect(listed.shown).toContain('Monstera deliciosa')
    expect(await execute(page, await unfold('deletePlant'))).toMatchObject({
      method: 'DELETE',
      path: '/plants/54',
      status: '204',
    })
    expect((await execute(page, page.locator('[id$="-listPlants"]'))).shown).not.toContain('Monstera deliciosa')
    expect(faults).toEqual([])
  })

  test('sends the body of QUERY, and shows the first items of a stream that does not end', async () => {
    const content = { 'application/json': { schema: { type: 'object' }, example: { name: 'Ficus' } } }
    const streamOf = (type: string) => ({
      200: { description: 'Plants.', content: { [type]: { itemSchema: { type: 'object' } } } },
    })
    const query = {
      operationId: 'find',
      requestBody: { required: true, content },
      responses: { 200: { description: 'The same.', content } },
    }
    const document = {
      openapi: '3.2.0',
      info: { title: 'Plants', version: '1.0.0' },
      security: [],
      paths: {
        '/plants/events': { get: { operationId: 'watch', responses: streamOf('text/event-stream') } },
        '/plants': { get: { operationId: 'list', responses: streamOf('application/jsonl') }, query },
      },
    }
    let isEnded = false
    const handlers = {
      find: ({ body }: { body: unknown }) => ({ status: 200, body }),
      list: () => ({ status: 200, body: Readable.from([{ name: 'Ficus' }, { name: 'Monstera' }]) }),
      watch: (_input: unknown, { request }: { request: FastifyRequest }) => ({
        status: 200,
        body: (async function* () {
          try {
            yield { event: 'planted', data: 'Ficus' }
            await once(signalOf(request), 'abort')
          } finally {
            isEnded = true
          }
        })(),
      }),
    }
    const contract: Contract = sealContract({ document: JSON.stringify(document) })
    const app = await serve(contract, { handlers })
    onTestFinished(() => app.close())
    const { page, faults } = await openDocsPage(browser, await app.listen({ host: '127.0.0.1', port: 0 }))
    const executed = async (operationId: string) => {
      const section = page.locator(`[id$="-${operationId}"]`)
      await section.locator('.opblock-summary-control').click()
      return execute(page, section)
    }
    const { method, sent, shown } = await executed('find')
    expect([method, JSON.parse(sent ?? '')]).toEqual(['QUERY', { name: 'Ficus' }])
    expect(shown).toContain('Ficus')
    expect((await executed('list')).shown).toContain('{"name":"Ficus"}\n{"name":"Monstera"}')
    expect((await executed('watch')).shown).toContain('event: planted')
    await expect.poll(() => isEnded).toBe(true)
    // Chromium reports a stream as failed that the page ends, and at times one that it has read to its end.
    expect(faults.filter((fault) => !fault.startsWith('failed: '))).toEqual([])
  })

  test('sends an id beyond 2^53 exactly, from an example or typed', async () => {
    const { page, faults, authorize, unfold, store, send, token } = await open()
    await store.create('me', storedPlant({ id: 9007199254740992n, name: 'below' }))
    await store.create('me', storedPlant({ id: 9007199254740994n, name: 'above' }))
    const list = async () => JSON.parse((await send({ method: 'GET', url: '/plants' })).text) as unknown
    await authorize(token)
    const create = await unfold('createPlant')
    const remove = await unfold('deletePlant')

    await create.locator('select', { hasText: 'a double cannot hold' }).first().selectOption('beyondDouble')
    expect(await execute(page, create)).toMatchObject({
      sent: '{\n  "id": 9007199254740993,\n  "name": "Wollemia nobilis"\n}',
      status: '200',
    })
    expect(await list()).toEqual([{ name: 'below' }, { name: 'Wollemia nobilis' }, { name: 'above' }])
    await remove.locator('.parameters input').fill('9007199254740993')
    expect(await execute(page, remove)).toMatchObject({ path: '/plants/9007199254740993', status: '204' })
    expect(await list()).toEqual([{ name: 'below' }, { name: 'above' }])
    expect(faults).toEqual([])
  })

  test('shows every operation on the first screen, wide or narrow', async () => {
    const { page } = await open()
    for (const [width, height] of [
      [1280, 900],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height })
      for (const operation of await page.locator('.opblock').all()) {
        const { y, height: own } = (await operation.boundingBox())!
        expect(y + own).toBeLessThanOrEqual(height)
      }
    }
  })

  test('folds the failures that all operations share', async () => {
    const { unfold } = await open()
    const create = await unfold('createPlant')
    const statuses = create.locator('.responses-table .response-col_status').filter({ hasText: /^\d/, visible: true })
    await create.locator('summary').waitFor()
    expect(await statuses.allInnerTexts()).toEqual(['200', '409', '413', '415'])
    await create.locator('summary', { hasText: 'Failures of every operation: 400, 401' }).click()
    expect(await statuses.allInnerTexts()).toContain('503')
  })

  test('lists the headers of all responses once, with the statuses that have them', async () => {
    const { unfold } = await open()
    const remove = await unfold('deletePlant')
    const rows = remove.locator('table.headers tbody tr')
    await rows.first().waitFor()
    expect((await rows.allInnerTexts()).map((text) => /^[\w-]+/.exec(text)?.[0])).toEqual([
      'X-Request-Id',
      'RateLimit-Policy',
      'RateLimit',
      'WWW-Authenticate',
      'Retry-After',
    ])
    expect(await rows.nth(0).innerText()).not.toContain('Status:')
    expect(await rows.nth(4).innerText()).toContain('Status: 429, 503')
  })

  test('takes a token with the word Bearer before it, and keeps the focus where a key was pressed', async () => {
    const { page, faults, unfold, token } = await open()
    const focused = () => page.evaluate<string>('document.activeElement.innerText')
    const press = async (locator: Locator) => {
      await locator.focus()
      await page.keyboard.press('Enter')
    }
    await press(page.locator('.btn.authorize'))
    await page.locator('#auth-bearer-value').fill(`Bearer ${token}`)
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('Close')
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('Authorize')
    const list = await unfold('listPlants')
    const [request] = await Promise.all([page.waitForRequest(/\/plants/), press(list.locator('.btn.execute'))])
    expect(await request.headerValue('authorization')).toBe(`Bearer ${token}`)
    await list.locator('.live-responses-table').waitFor()
    await expect.poll(focused).toBe('Execute')
    expect(faults).toEqual([])
  })

  test.for(['light', 'dark'] as const)(
    'has a contrast of 4.5 in %s mode, with every part unfolded',
    async (colorScheme) => {
      const { page, authorize, unfold, token } = await open()
      await page.emulateMedia({ colorScheme })
      const found = async () => (await lowContrasts(page)).join('\n')
      expect(await found()).toBe('')
      await page.locator('.btn.authorize').click()
      await page.locator('#auth-bearer-value').waitFor()
      expect(await found()).toBe('')
      await page.locator('.modal-ux .btn-done').click()
      await authorize(token)
      await execute(page, await unfold('listPlants'))
      await execute(page, await unfold('deletePlant'))
      await execute(page, await unfold('createPlant'))
      await unfoldAll(page)
      expect(await found()).toBe('')
    },
  )

  test('follows the dark or light mode of the system', async () => {
    const { page } = await open()
    const background = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await background()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(background).not.toBe(light)
  })

  test('fits the screen of a phone whatever words a contract has', async () => {
    const long = 'word'.repeat(15)
    const content = { [`application/vnd.${long}+json`]: { schema: { properties: { [long]: { enum: [long] } } } } }
    const parameters = ['path', 'query'].map((place) => ({
      name: place + long,
      in: place,
      required: true,
      schema: { enum: [long, 'b'] },
    }))
    const callbacks = { done: { '{$request.body#/url}': { post: { responses: {} } } } }
    const post = {
      operationId: long,
      tags: [long],
      parameters,
      callbacks,
      requestBody: { content },
      responses: { 200: { description: long, content } },
    }
    const document = {
      openapi: '3.1.0',
      info: { title: long, version: long },
      security: [],
      paths: { [`/{path${long}}/${long}`]: { post } },
    }
    const app = await serve(sealContract({ document: JSON.stringify(document) }) as Contract, {
      handlers: { [long]: () => ({ status: 200, body: {} }) },
    })
    onTestFinished(() => app.close())
    const { page } = await openDocsPage(browser, await app.listen({ host: '127.0.0.1', port: 0 }))
    await page.setViewportSize({ width: 390, height: 844 })
    await page.locator('.opblock-summary-control').click()
    await page.locator('textarea').fill('{}')
    await page.locator('.btn.reset').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })
})
