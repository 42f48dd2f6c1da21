import { framings } from '../../document/media-type.ts'

/** Shows and prefills the texts of `exactTexts` unchanged, instead of a sample that Swagger UI makes with doubles. */
const showExactTexts = `const showExactTexts = ({ fn: { getSampleSchema } }) => ({
  fn: {
    getSampleSchema: (schema, mediaType, config, example) =>
      exactTexts.has(example) ? example : getSampleSchema(schema, mediaType, config, example),
  },
})`

/** Folds the responses with the statuses of `shared`, and lists the headers of all responses once, below them. */
const arrangeResponses = `const arrangeResponses = ({ Im, React: { createElement }, getComponent }) => {
  const headersOf = (responses) => {
    const rows = []
    responses.forEach((response, status) => {
      Im.Map(response.get?.('headers')).forEach((header, name) => {
        const row = rows.find((each) => each.name === name && Im.is(each.header, header))
        if (row) row.statuses.push(status)
        else rows.push({ name, header, statuses: [status] })
      })
    })
    const isEvery = ({ statuses }) => statuses.length === responses.size
    const described = ({ header, statuses }) => (header.get('description') ?? '') + '\\n\\nStatus: ' + statuses.join(', ')
    return Im.OrderedMap(rows.map((row) => {
      const isAlone = rows.every((each) => each === row || each.name !== row.name)
      const title = isAlone ? row.name : row.name + ' (' + row.statuses.join(', ') + ')'
      return [title, isEvery(row) ? row.header : row.header.set('description', described(row))]
    }))
  }
  const responses = (Responses) => (props) => {
    const isShared = (_response, status) => shared.includes(status)
    const bare = props.responses.map((each) => each.delete?.('headers') ?? each)
    const own = createElement(Responses, { ...props, responses: bare.filterNot(isShared) })
    const headers = createElement(getComponent('headers'), { headers: headersOf(props.responses), getComponent })
    const below = createElement('div', { className: 'response-headers' }, headers)
    const folded = bare.filter(isShared)
    if (folded.size === 0) return createElement('div', null, own, below)
    const title = createElement('summary', null, 'Failures of every operation: ' + folded.keySeq().join(', '))
    // Another path, because the table takes its id from it.
    const others = { ...props, path: props.path + ' shared', responses: folded, tryItOutResponse: undefined }
    const rest = createElement(Responses, others)
    return createElement(
      'div', null, own, createElement('details', { className: 'shared-responses' }, title, rest), below,
    )
  }
  return { wrapComponents: { responses } }
}`

/** Takes a bearer token also with the word \`Bearer\` before it, as headers and examples show it. */
const takeWholeCredentials = `const isBearer = (schema) => schema?.get('type') === 'http' && /^bearer$/i.test(schema.get('scheme'))
const takeWholeCredentials = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (given) => authorize(Object.fromEntries(Object.entries(given).map(([name, each]) =>
          [name, isBearer(each?.schema) ? { ...each, value: each.value?.replace(/^\\s*Bearer\\s+/i, '').trim() } : each]))),
      },
    },
  },
})`

/**
 * Shows what a stream sends in its first seconds, as text, and then ends it. Swagger UI waits for the end of a response,
 * takes JSON lines as a file, and everything with `json` in its media type as one JSON text.
 */
const showStreams = `const framings = [${Object.values(framings).join(', ')}]
const isStream = (type) => {
  const essence = (type ?? '').split(';', 1)[0].trim().toLowerCase()
  return framings.some((framing) => framing.test(essence))
}
const readStream = async (body) => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    void reader.cancel()
  }, 5_000)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
    if (text.length < 100_000) continue
    isOver = true
    void reader.cancel()
  }
  clearTimeout(timer)
  return isOver ? text + '\\n… (this page has read for 5 seconds, or 100,000 characters)' : text
}
const fetchStreams = async (url, options) => {
  const response = await fetch(url, options)
  if (response.body === null || !isStream(response.headers.get('content-type'))) return response
  const read = () => readStream(response.body)
  return Object.assign(response, { text: read, blob: read })
}
const showStreams = ({ React: { createElement } }) => ({
  wrapComponents: {
    responseBody: (Body) => (props) =>
      createElement(Body, isStream(props.contentType) ? { ...props, contentType: 'text/plain' } : props),
  },
})`

/**
 * Swagger UI disables or replaces the button that was pressed, and the focus is lost: a keyboard would begin again at the
 * top. This gives it back to the button, or to what closes the dialog, or to what has opened the dialog.
 */
export const keepFocus = `let focused, opener
addEventListener('pointerdown', () => (focused = undefined), true)
addEventListener('focusin', ({ target }) => {
  focused = target
  if (!target.closest('.dialog-ux')) opener = target
})
new MutationObserver(() => {
  if (focused === undefined || document.activeElement !== document.body) return
  const other = document.querySelector('.dialog-ux .btn-done') ?? opener
  const next = focused.isConnected ? focused : other
  next?.focus({ preventScroll: true })
}).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled'] })`

/** The plugins of Swagger UI for the docs page: their names, and the script that defines them. */
export const plugins = {
  names: ['showExactTexts', 'arrangeResponses', 'takeWholeCredentials', 'showStreams'],
  script: [showExactTexts, arrangeResponses, takeWholeCredentials, showStreams].join('\n'),
}
