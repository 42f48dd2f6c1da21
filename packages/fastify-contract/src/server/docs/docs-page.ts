import type { Contract } from '../../document/contract.ts'
import { type ContractDocument, operationsIn } from '../../document/document.ts'
import { stringifyJson } from '../../json/json.ts'
import { mapMembers } from '../../json/map-members.ts'
import { shownDocument, withSecurity } from './shown-document.ts'
import { keepFocus, plugins } from './swagger-ui-plugins.ts'

/**
 * Swagger UI sets table columns without a gap, gives responses three columns, too wide for a phone's screen, and gives
 * many texts a contrast below 4.5 (WCAG 2.2, 1.4.3).
 */
export const tableStyles = `.swagger-ui table > tbody > tr > td:first-of-type { padding-right: 12px; }
.swagger-ui .responses-table > tbody > tr > td { padding-bottom: 20px; }
.swagger-ui .shared-responses { padding: 0 20px 20px; }
.swagger-ui .shared-responses > summary { cursor: pointer; font: 700 14px sans-serif; color: inherit; }
.swagger-ui .response-headers { padding: 0 20px 20px; overflow-x: auto; }
.swagger-ui .shared-responses .opblock-section-header { display: none; }
.dark-mode .swagger-ui .examples-select__section-label,
.dark-mode .swagger-ui table.headers td { color: #e4e6e6; }
html.dark-mode .swagger-ui .parameter__name.required::after,
html.dark-mode .swagger-ui .opblock .opblock-section-header .btn.cancel { color: #ff9d9d; }
html:not(.dark-mode) .swagger-ui .btn.cancel,
html:not(.dark-mode) .swagger-ui .parameter__name.required::after { color: #b3261e; }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #17723f; }
html:not(.dark-mode) .swagger-ui .btn.execute { background: #1f66b8; }
html:not(.dark-mode) .swagger-ui .info a { color: #1f66b8; }
html:not(.dark-mode) .swagger-ui .info .title small { background: #5f6673; }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #4a7000; }
html:not(.dark-mode) .swagger-ui .download-contents { background: #5b6070; }
html:not(.dark-mode) .swagger-ui .markdown code,
html:not(.dark-mode) .swagger-ui .renderedMarkdown code { color: #6f00d0; }
html:not(.dark-mode) .swagger-ui .json-schema-2020-12__constraint--string { background: #8a5a00; }
html:not(.dark-mode) .swagger-ui .json-schema-2020-12__attribute--primary { color: #44448f; }
html:not(.dark-mode) .swagger-ui .json-schema-2020-12-keyword--description p,
html:not(.dark-mode) .swagger-ui .parameter__in,
html:not(.dark-mode) .swagger-ui .json-schema-2020-12-expand-deep-button { color: #595959; }
html:not(.dark-mode) .swagger-ui .opblock:not(.opblock-head, .opblock-options) .opblock-summary-method { color: #000; }
@media (max-width: 640px) {
  .swagger-ui .information-container .info { margin: 25px 0; }
  .swagger-ui .highlight-code:has(> .download-contents) > pre { padding-bottom: 45px !important; }
  .swagger-ui { overflow-wrap: anywhere; }
  .swagger-ui .info .title pre { white-space: normal; }
  .swagger-ui select { min-width: 0; max-width: 100%; }
  .swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; gap: 16px 8px; overflow-wrap: normal; }
  .swagger-ui .try-out__btn { margin-left: 0; margin-right: 8px; }
  .swagger-ui .response-controls { flex-direction: column; gap: 8px; }
  .swagger-ui :is(.parameters, .responses-table) > thead,
  .swagger-ui .response-col_links > i { display: none; }
  .swagger-ui :is(.parameters, .responses-table),
  .swagger-ui :is(.parameters, .responses-table) > tbody,
  .swagger-ui :is(.parameters, .responses-table) > tbody > tr,
  .swagger-ui :is(.parameters, .responses-table) > tbody > tr > td { display: block; width: auto; max-width: none; }
  .swagger-ui :is(.parameters, .responses-table) > tbody > tr > td { padding: 5px 0; overflow-x: auto; }
}
`

/**
 * Writes the page.
 *
 * @param folder the path below the page, relative to the page, so that a proxy may add a prefix
 */
export function writePage(name: string, folder: string, hasIcon: boolean): string {
  const title = name.replace(/[&<]/g, (character) => `&#${String(character.charCodeAt(0))};`)
  const icon = hasIcon ? `type="image/svg+xml" sizes="any" href="${folder}favicon.svg"` : 'href="data:,"'
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" ${icon}>
    <link rel="stylesheet" href="${folder}static/swagger-ui.css">
    <link rel="stylesheet" href="${folder}static/index.css">
    <link rel="stylesheet" href="${folder}static/theme/narrow.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${folder}static/swagger-ui-bundle.js"></script>
    <script src="${folder}static/swagger-initializer.js"></script>
  </body>
</html>
`
}

/**
 * Writes the script that starts Swagger UI. By itself Swagger UI parses a contract with doubles: an example
 * 9007199254740993 becomes …992, and "Execute" creates or deletes something else (swagger-api/swagger-ui#10049). In the
 * script's copy, each example with an integer beyond 2^53 is therefore its JSON text, which a plugin shows and prefills
 * unchanged. Typed input is sent unchanged anyway.
 *
 * The page is dark where the system is. It folds the failures that every operation declares in the same way.
 *
 * The page sends requests to the server that it is from, also below a prefix that only a proxy knows.
 *
 * @param basePaths what replaces the base paths of the contract's servers
 */
export async function writeInitializer(
  contract: Contract,
  page: string,
  basePaths: readonly string[] | undefined,
): Promise<string> {
  const shown = await shownDocument(contract, basePaths)
  const exact = new Set<string>()
  const document = withExactTexts(withSecurity(shown), [], exact)
  return `const exactTexts = new Set(${JSON.stringify([...exact])})
const shared = ${JSON.stringify(sharedFailures(shown))}
${plugins.script}
const isDark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', isDark.matches)
isDark.addEventListener('change', follow)
follow()
${keepFocus}
const { src } = document.currentScript
const spec = ${JSON.stringify(document)}
const root = new URL('${'../'.repeat(page.split('/').length)}', src).pathname
const items = Object.values(spec.paths ?? {})
for (const holder of [spec, ...items.flatMap((item) => Object.values(item ?? {}))])
  for (const server of holder?.servers ?? []) server.url = root.slice(0, -1) + server.url || '/'
const ui = SwaggerUIBundle({
  dom_id: '#swagger-ui',
  spec,
  plugins: [${plugins.names.join(', ')}],
  deepLinking: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  requestInterceptor: (request) => Object.assign(request, { userFetch: fetchStreams }),
  syntaxHighlight: { theme: 'tomorrow-night' },
  validatorUrl: null,
  oauth2RedirectUrl: new URL('oauth2-redirect.html', src).href,
})
ui.specActions.updateUrl(new URL('../../openapi.json', src).href)
ui.initOAuth({})
`
}

/** The statuses of failures that all operations declare in the same way; none for a single operation. */
function sharedFailures({ paths = {} }: Partial<ContractDocument>): string[] {
  const [first, ...others] = Object.values(paths).flatMap((item) =>
    operationsIn(item).map(({ written }) => written.responses ?? {}),
  )
  if (first === undefined || others.length === 0) return []
  return Object.keys(first).filter((status) => {
    const text = stringifyJson(first[status])
    return !status.startsWith('2') && others.every((each) => stringifyJson(each[status] ?? null) === text)
  })
}

function withExactTexts(node: unknown, path: readonly string[], exact: Set<string>): unknown {
  const [name, parent, grandparent] = path.toReversed()
  const isExample =
    (name === 'example' && parent !== 'properties') ||
    (parent === 'examples' && /^\d+$/.test(String(name))) ||
    (name === 'value' && grandparent === 'examples')
  if (typeof node === 'bigint' || (isExample && hasBigInt(node))) {
    const text = stringifyJson(node, 2)
    exact.add(text)
    return text
  }
  const copy = mapMembers(node, (member, key) => withExactTexts(member, [...path, key], exact))
  return parent === 'content' ? withItems(copy) : copy
}

/** Shows the items of a stream as a list. Swagger UI shows no `itemSchema`. */
function withItems(media: unknown): unknown {
  if (typeof media !== 'object' || media === null || !('itemSchema' in media)) return media
  return { schema: { type: 'array', description: 'A stream of these items.', items: media.itemSchema }, ...media }
}

function hasBigInt(node: unknown): boolean {
  return typeof node === 'bigint' || (typeof node === 'object' && node !== null && Object.values(node).some(hasBigInt))
}
