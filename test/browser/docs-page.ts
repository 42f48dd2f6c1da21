import axe, { type AxeResults } from 'axe-core'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type Locator, type Page, chromium } from 'playwright-core'
import type { OperationId } from '../../generated/contract.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** @returns the Chromium of `CHROMIUM_PATH`, or the first in `PATH` with a usual name, or undefined */
export function findChromium({ CHROMIUM_PATH, PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  if (CHROMIUM_PATH !== undefined) return CHROMIUM_PATH
  return PATH.split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => existsSync(file))
}

/** Starts Chromium without a window and without its own background requests. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      // The sandbox needs rights that root in a container lacks; the only pages are the project's own.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      '--no-first-run',
    ],
  })
}

/** The docs page as a person uses it. */
export interface DocsPage {
  page: Page
  /** Messages of the console, requests that failed, and requests to other hosts. */
  faults: string[]
  authorize: (token: string) => Promise<void>
  /** Unfolds the section of an operation and returns it. */
  unfold: (operationId: OperationId) => Promise<Locator>
}

/**
 * Opens `/docs` in a browser profile of its own.
 *
 * @param origin of the server
 */
export async function openDocsPage(browser: Browser, origin: string): Promise<DocsPage> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } })
  page.setDefaultTimeout(120_000)
  const faults: string[] = []
  page.on('console', (message) => faults.push(`console ${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`))
  page.on('requestfailed', (request) => faults.push(`failed: ${request.url()}`))
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (protocol !== 'data:' && asked !== origin) faults.push(`other host: ${request.url()}`)
  })
  await page.goto(`${origin}/docs`)

  return {
    page,
    faults,
    authorize: async (token) => {
      await page.locator('.btn.authorize').click()
      await page.locator('#auth-bearer-value').fill(token)
      await page.locator('.modal-ux .btn.authorize').click()
      await page.locator('.modal-ux .btn-done').click()
    },
    unfold: async (operationId) => {
      const section = page.locator(`[id$="-${operationId}"]`)
      await section.locator('.opblock-summary-control').click()
      return section
    },
  }
}

/** Presses Execute. @returns the request, and the status and body that the page shows */
export async function execute(
  page: Page,
  section: Locator,
): Promise<{ method: string; path: string; sent: string | null; status: string; shown: string }> {
  const [request] = await Promise.all([page.waitForRequest(/\/plants/), section.locator('.btn.execute').click()])
  const response = await request.response()
  const live = section.locator('.live-responses-table')
  // The page may still show the previous response.
  await live.getByText((await response?.headerValue('x-request-id')) ?? 'no response').waitFor()
  return {
    method: request.method(),
    path: new URL(request.url()).pathname,
    sent: request.postData(),
    status: (await live.locator('tbody .response-col_status').innerText()).trim(),
    shown: await live.locator('tbody .response-col_description').innerText(),
  }
}

/** Unfolds models, schemas and failures, level by level. */
export async function unfoldAll(page: Page): Promise<void> {
  const folded = [
    '.tablinks:not(.active)',
    'details:not([open]) > summary',
    '.opblock-body [aria-expanded=false]',
    '.models [aria-expanded=false]',
    '.json-schema-2020-12-accordion[aria-expanded=false]',
  ].join()
  for (let level = 0; level < 5; level++) {
    await page.evaluate(`for (const each of document.querySelectorAll('${folded}')) each.click()`)
    await page.waitForTimeout(200)
  }
}

/** The visible texts with a contrast below 4.5 (WCAG 2.2, 1.4.3), also large ones. */
export async function lowContrasts(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const contrastRatio = { normal: { expected: 4.5 }, large: { expected: 4.5 } }
  const checks = [{ id: 'color-contrast', options: { contrastRatio } }]
  await page.evaluate(`axe.configure(${JSON.stringify({ checks })})`)
  const { violations, passes } = await page.evaluate<AxeResults>("axe.run({ runOnly: 'color-contrast' })")
  if (passes.length === 0) throw new Error('no text was measured')
  return violations.flatMap(({ nodes }) => nodes.map(({ html, any }) => `${any[0]?.message ?? ''}: ${html}`))
}
