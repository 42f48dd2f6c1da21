import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { buildApp } from '../../src/app.ts'
import { createToken } from '../../src/auth/tokens.ts'
import { loadContract } from '../../src/contract/load-contract.ts'
import { handlers } from '../../src/handlers.ts'
import { openStore } from '../../src/store/open-store.ts'
import { takeNoArguments } from '../command.ts'
import { execute, openDocsPage } from './screenshot/docs-page.ts'
import { findChromium, launchChromium } from './screenshot/chromium.ts'

takeNoArguments(`Usage: npm run screenshot   takes docs/docs-page.png anew

It shows the docs page of a server with an empty store, after it has created a plant.`)

const root = join(import.meta.dirname, '../..')
const executablePath = findChromium(process.env)
if (executablePath === undefined) throw new Error('no Chromium in PATH; set CHROMIUM_PATH')

await using cleanup = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'plant-store-'))
cleanup.defer(() => rm(folder, { recursive: true }))
const store = await openStore({ engine: 'sqlite', file: join(folder, 'plants.db') }, { onFault: () => undefined })
cleanup.defer(() => store.close())
const { text: token, stored } = createToken('me', Date.now())
await store.addToken(stored)
const app = await buildApp({
  contract: await loadContract(root),
  handlers,
  store,
  log: pino({ level: 'silent' }),
  rateLimit: undefined,
})
cleanup.defer(() => app.close())
const browser = await launchChromium(executablePath)
cleanup.defer(() => browser.close())

const { page, authorize, unfold } = await openDocsPage(browser, await app.listen({ host: '127.0.0.1', port: 0 }))
await authorize(token)
const create = await unfold('createPlant')
await create.locator('select', { hasText: 'a double cannot hold' }).first().selectOption('beyondDouble')
await execute(page, create)
await page.evaluate('scrollTo(0, 0)')
const [top, bottom] = await Promise.all([
  page.locator('.scheme-container').boundingBox(),
  create.locator('.live-responses-table').boundingBox(),
])
if (top === null || bottom === null) throw new Error('the page shows no response')
const clip = { x: 0, y: top.y, width: 1200, height: bottom.y + bottom.height - top.y }
await page.screenshot({ path: join(root, 'docs/docs-page.png'), fullPage: true, clip })
