import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../support/server/start-app.ts'
import { execute, findChromium, launchChromium, openDocsPage } from './docs-page.ts'

const chromium = findChromium(process.env)
const missing = 'no Chromium under its usual names in PATH, and CHROMIUM_PATH is not set'
// In CI nothing is left out: without a browser the tests fail.
const isLeftOut = chromium === undefined && process.env['CI'] !== 'true'
if (isLeftOut) console.warn(`LEFT OUT: the docs page was not tested in a real browser; ${missing}`)

describe.skipIf(isLeftOut)(
  `the docs page in Chromium${isLeftOut ? ` (LEFT OUT: ${missing})` : ''}`,
  { timeout: 60_000 },
  () => {
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

    test('sends an id beyond 2^53 exactly, whether typed or taken from an example', async () => {
      const { page, faults, authorize, unfold, store, send, token } = await open()
      await store.create('me', { id: 9007199254740992n, name: 'below' })
      await store.create('me', { id: 9007199254740994n, name: 'above' })
      const list = async () => JSON.parse((await send({ method: 'GET', url: '/plants' })).text) as unknown
      await authorize(token)
      const create = await unfold('createPlant')
      const remove = await unfold('deletePlant')

      await create.locator('textarea').fill('{"id": 9007199254740993, "name": "between"}')
      expect(await execute(page, create)).toMatchObject({
        sent: '{"id": 9007199254740993, "name": "between"}',
        status: '200',
      })
      expect(await list()).toEqual([{ name: 'below' }, { name: 'between' }, { name: 'above' }])
      await remove.locator('.parameters input').fill('9007199254740993')
      expect(await execute(page, remove)).toMatchObject({ path: '/plants/9007199254740993', status: '204' })
      expect(await list()).toEqual([{ name: 'below' }, { name: 'above' }])

      await create.locator('select', { hasText: 'a double cannot hold' }).first().selectOption('beyondDouble')
      expect(await execute(page, create)).toMatchObject({
        sent: '{\n  "id": 9007199254740993,\n  "name": "Wollemia nobilis"\n}',
        status: '200',
      })
      expect(await list()).toEqual([{ name: 'below' }, { name: 'Wollemia nobilis' }, { name: 'above' }])
      await remove.locator('.parameters select').selectOption('lowest')
      expect(await remove.locator('.parameters input').inputValue()).toBe('-9223372036854775808')
      await remove.locator('.parameters select').selectOption('beyondDouble')
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

    test('follows the dark or light mode of the system', async () => {
      const { page } = await open()
      const background = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
      await page.emulateMedia({ colorScheme: 'light' })
      const light = await background()
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect.poll(background).not.toBe(light)
    })

    test('fits the screen of a phone with every operation unfolded and a response shown', async () => {
      const { page, faults, authorize, unfold, token } = await open()
      await page.setViewportSize({ width: 390, height: 844 })
      await authorize(token)
      await execute(page, await unfold('createPlant'))
      await unfold('listPlants')
      await unfold('deletePlant')
      await page.locator('.opblock-delete summary').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      expect(faults).toEqual([])
    })
  },
)
