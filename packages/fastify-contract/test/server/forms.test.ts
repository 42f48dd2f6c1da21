import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { serveBody } from './support/echo.ts'
import { exchange } from './support/exchange.ts'
import { ok, serve } from './support/serve.ts'

const int64 = { type: 'integer', format: 'int64' }
const file = { type: 'string', format: 'binary' }
const list = (items: object) => ({ type: 'array', items })
const schema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: int64,
    ids: list(int64),
    name: { type: 'string', maxLength: 5 },
    isGood: { type: 'boolean' },
    tags: list({ type: 'string' }),
    meta: { type: 'object', properties: { id: int64 } },
    metas: list({ type: 'object', properties: { id: int64 } }),
    photo: { ...file, maxLength: 40 },
    photos: list(file),
    any: {},
  },
}
const urlencoded = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data; boundary=b'
const forms = { [urlencoded]: { schema }, 'multipart/form-data': { schema } }

/** A multipart form of parts, each with headers and content. */
function parts(...all: [headers: string, content: string][]): Buffer {
  const text = all.map(([headers, content]) => `--b\r\n${headers}\r\n\r\n${content}\r\n`).join('')
  return Buffer.from(`${text}--b--\r\n`, 'latin1')
}
const named = (name: string) => `Content-Disposition: form-data; name="${name}"`
const field = (name: string, content: string): [string, string] => [named(name), content]
const id = field('id', '1')
const photo = (content: string, type = 'image/png'): [string, string] => [
  `${named('photo')}; filename="a.png"\r\nContent-Type: ${type}`,
  content,
]

describe('a field of a form', () => {
  test.each([
    ['is exact as int64', 'id=9007199254740993', '{"id":9007199254740993}'],
    ['is exact in a list of int64', 'id=1&ids=9007199254740993', '{"id":1,"ids":[9007199254740993]}'],
    ['may be repeated for a list, in order', 'id=1&tags=b&tags=&tags=a', '{"id":1,"tags":["b","","a"]}'],
    ['is JSON if it is an object', 'id=1&meta={"id":9007199254740993}', '{"id":1,"meta":{"id":9007199254740993}}'],
    [
      'is JSON for each object of a list',
      'metas={"id":9007199254740993}&metas={"id":2,"x":3}&id=1',
      '{"metas":[{"id":9007199254740993},{"id":2}],"id":1}',
    ],
    ['is coerced to a boolean', 'id=-1&isGood=true', '{"id":-1,"isGood":true}'],
    ['is text if it is a string', 'id=1&name=007', '{"id":1,"name":"007"}'],
    ['is dropped if it is undeclared', 'id=1&other=x', '{"id":1}'],
    ['is dropped if it is named __proto__', 'id=1&__proto__=x', '{"id":1}'],
    ['is text without a schema', 'id=1&any=5', '{"id":1,"any":"5"}'],
    ['is a list without a schema if it is repeated', 'id=1&any=5&any=6', '{"id":1,"any":["5","6"]}'],
    ['may have any text', 'id=1&name=ä%2B%26%3D%25', '{"id":1,"name":"ä+&=%"}'],
  ])('%s', async (_what, text, body) => {
    const { post } = await serveBody(forms)
    const given = new URLSearchParams(text)
    const latin1 = [...given].map(([name, value]) => field(name, Buffer.from(value).toString('latin1')))
    expect(await post(urlencoded, given.toString())).toEqual({ status: 200, body, contentType: urlencoded })
    expect(await post(multipart, parts(...latin1))).toEqual({ status: 200, body, contentType: 'multipart/form-data' })
  })

  test.each([
    ['is missing', '', 'body/id is required'],
    ['is repeated, but not a list', 'id=1&id=2', 'body/id is repeated, but is not a list; send it once'],
    ['is not an integer', 'id=1.0', 'body/id must be an integer from -9223372036854775808'],
    ['has an item that is not an integer', 'id=1&ids=1&ids=x', 'body/ids/1 must be an integer'],
    ['is too long', 'id=1&name=abcdef', 'body/name must have at most 5 characters'],
    ['is malformed JSON', 'id=1&meta={', 'body/meta is not one JSON document: it ends too early'],
    ['is JSON of another type', 'id=1&meta=[]', 'body/meta must be an object'],
    ['is JSON with a text for a number', 'id=1&meta={"id":"5"}', 'body/meta/id must be an integer'],
    ['is JSON with an inexact integer', 'id=1&meta={"id":9007199254740993.0}', 'body/meta/id must be an integer'],
    ['is JSON with a duplicate name', 'id=1&meta={"a":1,"a":2}', 'body/meta names the property "a" twice'],
    ['is deeply nested JSON', `id=1&meta={"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`, 'nests deeper'],
  ])('is refused with its place if it %s', async (_what, text, message) => {
    const { post } = await serveBody(forms)
    const given = new URLSearchParams(text)
    const expected = { status: 400, message: expect.stringContaining(message) as string }
    expect(await post(urlencoded, given.toString())).toEqual(expected)
    expect(await post(multipart, parts(...[...given].map(([name, value]) => field(name, value))))).toEqual(expected)
  })
})

describe('a field with an encoding', () => {
  const address = { type: 'object', properties: { city: { type: 'string' }, no: int64 } }
  const item = { type: 'object', required: ['price'], properties: { price: int64, tags: list({ type: 'string' }) } }
  const encoded = {
    type: 'object',
    properties: {
      address,
      closed: { ...address, additionalProperties: false },
      items: list(item),
      expand: list({ type: 'string' }),
      metadata: { anyOf: [{ type: 'object', additionalProperties: { type: 'string' } }, { enum: [''] }] },
      photo: file,
      photos: list(file),
      ids: list(int64),
      words: list({ type: 'string' }),
      point: { type: 'object', properties: { x: int64, y: int64 } },
      data: { type: 'object', properties: { photo: file } },
    },
  }
  const deepObject = { style: 'deepObject', explode: true }
  const encoding = {
    ...Object.fromEntries(
      ['address', 'closed', 'items', 'expand', 'metadata', 'data'].map((name) => [name, deepObject]),
    ),
    ids: { style: 'form', explode: false },
    point: { style: 'pipeDelimited', explode: false },
    words: { style: 'spaceDelimited', explode: false },
    photo: { contentType: 'image/png, image/jpeg' },
    photos: { contentType: 'image/*' },
  }
  const media = { schema: encoded, encoding }
  const content = { [urlencoded]: media, 'multipart/form-data': media }
  const exact = '9007199254740993'
  const both = async (text: string) => {
    const { post } = await serveBody(content)
    const given = new URLSearchParams(text)
    const latin1 = [...given].map(([name, value]) => field(name, Buffer.from(value).toString('latin1')))
    const { contentType: _url, ...ofUrl } = await post(urlencoded, text)
    const { contentType: _parts, ...ofParts } = await post(multipart, parts(...latin1))
    expect(ofParts).toEqual(ofUrl)
    return ofUrl
  }

  test.each([
    ['address[city]=Paris&address[no]=' + exact, `{"address":{"city":"Paris","no":${exact}}}`],
    ['items[1][price]=2&items[0][price]=' + exact, `{"items":[{"price":${exact}},{"price":2}]}`],
    ['expand[]=a&expand[]=b', '{"expand":["a","b"]}'],
    ['metadata[a b]=ä&metadata[__proto__]=c', '{"metadata":{"a b":"ä","__proto__":"c"}}'],
    ['address[city]=Paris&address[other]=x', '{"address":{"city":"Paris"}}'],
    [`ids=${exact},2`, `{"ids":[${exact},2]}`],
    ['words=a+b%2Bc%20d,e', '{"words":["a","b+c","d,e"]}'],
    [`point=x|${exact}%7Cy|2`, `{"point":{"x":${exact},"y":2}}`],
  ])('is read from %s', async (text, body) => {
    expect(await both(text)).toEqual({ status: 200, body })
  })

  test.each([
    ['address[no]=x', 'body/address/no must be an integer'],
    ['items[0][tags][]=a', 'body/items/0/price is required'],
    ['closed[other]=x', 'body/closed/other is not declared'],
    ['expand[1]=a', 'body/expand must have the indices from 0 to 0'],
    ['metadata=&metadata[a]=b', 'body/metadata is sent as a text and in parts'],
    ['ids=1&ids=2', 'body/ids is repeated; send it once, with separators'],
    ['ids=1,x', 'body/ids/1 must be an integer'],
    ['point=x|1|y', 'body/point must be names and values, such as a,1,b,2'],
  ])('is refused with its place: %.40s', async (text, message) => {
    expect(await both(text)).toEqual({ status: 400, message: expect.stringContaining(message) as string })
  })

  test('has one of its media types', async () => {
    const { post } = await serveBody(content)
    const typed = (name: string, type: string): [string, string] => [`${named(name)}\r\nContent-Type: ${type}`, 'x']
    const statusOf = async (...given: [string, string][]) => (await post(multipart, parts(...given))).status
    expect(await statusOf(typed('photo', 'IMAGE/PNG'))).toBe(200)
    expect(await statusOf(typed('photos', 'image/gif; q=1'), typed('photos', 'image/png'))).toBe(200)
    const wrong = await post(multipart, parts(typed('photo', 'image/gif')))
    expect(wrong).toEqual({
      status: 400,
      message: expect.stringContaining('body/photo must have the Content-Type image/png, image/jpeg') as string,
    })
    expect(await statusOf(field('photo', 'x'))).toBe(400)
    expect(await statusOf(typed('photos', 'image/png'), typed('photos', 'text/html'))).toBe(400)
  })

  test('has files in its parts', async () => {
    const { post } = await serveBody(content)
    const { body = '' } = await post(
      multipart,
      parts([`${named('data[photo]')}; filename="a"\r\nContent-Type: image/png`, '\xff']),
    )
    expect(JSON.parse(body)).toEqual({ data: { photo: { name: 'a', type: 'image/png', text: '\ufffd' } } })
  })
})

describe('a file', () => {
  test.each<[string, [string, string], name: string, type: string, text: string]>([
    ['has its name, type and bytes', photo('\x89PNG\r\n'), 'a.png', 'image/png', '\ufffdPNG\r\n'],
    ['may be empty', photo(''), 'a.png', 'image/png', ''],
    ['may have almost the boundary', photo('\r\n-b\r\n--a\r\nb--'), 'a.png', 'image/png', '\r\n-b\r\n--a\r\nb--'],
    [
      'may have other parameters',
      ['content-disposition:form-data ;name=photo ; size=1;filename=a;', 'x'],
      'a',
      '',
      'x',
    ],
    ['may have no filename', field('photo', 'x'), '', '', 'x'],
    // As browsers and curl send quotes.
    ['has a name in UTF-8', [`${named('photo')}; filename="\xc3\xa4%22\\"\\b"`, 'x'], 'ä""\\b', '', 'x'],
  ])('%s', async (_what, given, name, type, text) => {
    const { post } = await serveBody(forms)
    const { status, body = '' } = await post(multipart, parts(id, given))
    expect([status, JSON.parse(body)]).toEqual([200, { id: 1, photo: { name, type, text } }])
  })

  test('may be one of several', async () => {
    const { post } = await serveBody(forms)
    const one = (name: string): [string, string] => [`${named('photos')}; filename="${name}"`, name]
    const { body = '' } = await post(multipart, parts(one('a'), id, one('b')))
    expect(JSON.parse(body)).toMatchObject({ photos: ['a', 'b'].map((each) => ({ name: each, text: each })) })
  })

  test('is bounded in bytes by maxLength', async () => {
    const { post } = await serveBody(forms)
    expect((await post(multipart, parts(id, photo('\xff'.repeat(40))))).status).toBe(200)
    expect((await post(multipart, parts(id, photo('\xff'.repeat(41))))).message).toContain(
      'body/photo must have at most',
    )
  })

  test('is accepted for a field without a schema', async () => {
    const { post } = await serveBody(forms)
    const { body } = await post(multipart, parts(id, [`${named('any')}; filename="a"`, 'x']))
    expect(body).toBe('{"id":1,"any":{"name":"a","type":"","text":"x"}}')
  })
})

describe('a malformed form is refused for', () => {
  const noBoundary = 'must have one boundary'
  const insideLine = 'the boundary of the form is inside a line'
  const noEnd = 'the form has no closing boundary'
  const brokenEncoding = 'the percent-encoding of the form is invalid or not UTF-8'

  test.each<[string, string, string | Buffer, string]>([
    ['broken percent-encoding', urlencoded, 'id=%zz', brokenEncoding],
    ['percent-encoding of broken UTF-8', urlencoded, 'id=%ff', brokenEncoding],
    ['broken UTF-8', urlencoded, Buffer.from([0x69, 0xff]), 'the form is not UTF-8'],
    ['broken UTF-8 of a field', multipart, parts(id, field('name', '\xff')), 'body/name is not UTF-8'],
    ['broken UTF-8 of JSON in a field', multipart, parts(id, field('meta', '\xff')), 'body/meta is not UTF-8'],
    ['broken UTF-8 of a name', multipart, parts(field('\xff', '1')), 'a name in the form is not UTF-8'],
    ['no boundary', 'multipart/form-data', parts(id), noBoundary],
    ['two boundaries', `${multipart}; boundary=c`, parts(id), noBoundary],
    ['a boundary that is too long', `multipart/form-data; boundary=${'b'.repeat(71)}`, parts(id), noBoundary],
    ['another boundary', 'multipart/form-data; boundary=c', parts(id), noEnd],
    ['no content', multipart, '', noEnd],
    ['no end', multipart, parts(id).subarray(0, -8), noEnd],
    ['a part without headers', multipart, Buffer.from('--b\r\n\r\n1\r\n--b--'), 'has no name'],
    ['the boundary inside the first line', multipart, Buffer.from(`x--b\r\n${parts(id).toString()}`), insideLine],
    ['parts after the end', multipart, Buffer.concat([parts(id), parts(id)]), 'goes on after its closing boundary'],
    ['headers without an end', multipart, Buffer.from(`--b\r\n${named('id')}\r\n--b--`), 'has no empty line'],
    ...["boundary*=utf-8''c; boundary=b", 'boundary=b; boundary*0=c', 'Boundary*0*=c; boundary=b'].map(
      (parameters): [string, string, Buffer, string] => [
        parameters,
        `multipart/form-data; ${parameters}`,
        parts(id),
        noBoundary,
      ],
    ),
    ...['x--b\r\ny', 'x\r\n--bb', '\r\n--b x', '\n--b\r\n', 'x--b--', '\r\n--b-- x'].map(
      (content): [string, string, Buffer, string] => [
        JSON.stringify(content),
        multipart,
        parts(id, photo(content)),
        insideLine,
      ],
    ),
  ])('%s', async (_what, type, body, message) => {
    const { post } = await serveBody(forms)
    expect(await post(type, body)).toEqual({ status: 400, message: expect.stringContaining(message) as string })
  })

  const ofName = (more: string) => `${named('name')}\r\nContent-Type: text/plain; ${more}`
  const disposed = (parameters: string) => `Content-Disposition: form-data; ${parameters}`
  const nested = `${named('photo')}\r\nContent-Type: Multipart/Mixed; boundary=c`

  test.each<[message: string, headers: string[]]>([
    ['body/name is not UTF-8', [ofName('charset=latin1'), ofName('charset=utf-8; charset=latin1')]],
    [
      'has a Content-Transfer-Encoding; send its bytes as they are',
      [`${named('id')}\r\nContent-Transfer-Encoding: base64`],
    ],
    ['a part of the form is multipart/mixed; send each file in a part of its own', [nested]],
    [
      'a part of the form has no name',
      ['form-data', 'attachment; name="id"', '\xa0form-data; name="id"'].map((each) => `Content-Disposition: ${each}`),
    ],
    [
      'the Content-Disposition of a part of the form is malformed',
      [
        ...['name="id', 'name=\'id"', 'name="id"; filename="a', 'name="id"x', 'name=i d', 'name="id" filename="a"'],
        ...['name="id"; =a', 'name="id"; filename', 'name="id";; filename="a"', 'name="id"; name="name"', 'name=i/d'],
        ...[
          'name="id"; NAME=id',
          'name="id"; filename=a; filename=b',
          'name=id\\',
          'name="id\\"',
          'name=',
          'name=\xc3\xa4',
        ],
        ...['name="id\\\\"; filename="a"', 'name="i\\\\d"', 'name="id\\\\"d"'],
      ].map(disposed),
    ],
    [
      'has a parameter with *; send name and filename without it, in UTF-8',
      [
        ...[
          "name*=utf-8''id",
          `name="id"; name*=utf-8''name`,
          `NAME*=utf-8''name; name="id"`,
          'name*0="i"; name*1="d"',
        ],
        ...['name="id"; name*0*="n"', `name="id"; filename="a"; filename*=utf-8''b`, `filename*="a"; name="id"`],
      ].map(disposed),
    ],
    [
      'a part of the form has a malformed or a repeated header',
      [
        ...[
          named('id'),
          'content-disposition: form-data; name="name"',
          'Content-Transfer-Encoding : base64',
          ' filename="a"',
        ],
        ...[
          'no header',
          'Content-Type: text/plain\r\nContent-Type: text/plain',
          'Content-Type: a/b\nContent-Type: c/d',
        ],
      ]
        .map((header) => `${named('id')}\r\n${header}`)
        .concat(`${named('id')}\rContent-Type: text/html`, named('id\0'), `: a\r\n${named('id')}`),
    ],
  ])('a part: %s', async (message, all) => {
    const { post } = await serveBody(forms)
    for (const headers of all) {
      const { status, message: received } = await post(multipart, parts(id, [headers, '1']))
      expect([headers, status, received]).toEqual([headers, 400, expect.stringContaining(message)])
    }
  })
})

test.each<[string, object, object, boolean]>([
  ['a form with files', forms, {}, true],
  ['pictures', { 'image/*': {} }, {}, true],
  ['pictures of a chosen size', { 'image/*': {} }, { bodyBytes: 1_000_000 }, false],
  ['pictures with a limit of their own', { 'image/*': { schema: { maxLength: 5 } } }, {}, false],
  ['some without', { 'image/*': { schema: { maxLength: 5 } }, 'image/png': {} }, {}, true],
  ['XML', { 'application/xml': {} }, {}, false],
])('the start warns of a limit that is too small for files: %s', async (_what, content, limits, isWarned) => {
  const paths = { '/': { post: { operationId: 'upload', security: [], requestBody: { content }, responses: ok } } }
  const { lines } = await serve({ paths, handlers: { upload: () => ({ status: 200, body: 1 }) }, limits })
  const warning =
    'upload takes files, but a body has at most 65536 bytes; give a binary body a maxLength in the contract, or'
  const warnings = lines().filter(({ level, msg }) => level === 40 && String(msg).startsWith(warning))
  expect(warnings).toHaveLength(isWarned ? 1 : 0)
})

test('a refusal is short, whatever the form contains', async () => {
  const text = { type: 'object', additionalProperties: { type: 'string' } }
  const names = Array.from({ length: 5_000 }, (_, index) => `a${String(index)}`)
  for (const [content, type, body] of [
    [forms, urlencoded, 'metas={&'.repeat(8_000)],
    [{ [urlencoded]: { schema: text } }, urlencoded, [...names, ...names].join('&')],
    [forms, multipart, parts(field('x'.repeat(60_000), '\xff'))],
  ] as const) {
    const { post } = await serveBody(content)
    const { status, message = '' } = await post(type, body)
    expect([status, message.length < 1_200]).toEqual([400, true])
  }
})

test('a form of any bytes is read or refused', async () => {
  const { post } = await serveBody(forms)
  const bytes = fc.constantFrom(
    ...['\r\n', '--b', '--b--', '--b\r\n', '\r\n\r\n', named('id'), named('photo'), '; filename="', '"', '1', '&', '='],
    ...['%', '%4', '+', 'id', '\\', ': ', 'Content-Type', '\xff', '\0', '__proto__', 'constructor', '[', ' '],
  )
  const body = fc.array(bytes, { maxLength: 30 }).map((texts) => Buffer.from(texts.join(''), 'latin1'))
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(urlencoded, multipart), async (content, type) => {
      expect([200, 400]).toContain((await post(type, content)).status)
    }),
    { numRuns: 300 },
  )
})

test('a form that FormData writes is read back unchanged', async () => {
  const any = { 'multipart/form-data': { schema: { type: 'object', additionalProperties: list({ type: 'string' }) } } }
  const { post } = await serveBody(any)
  const text = fc.string({
    unit: fc.constantFrom('a', 'ä', '🌱', '"', '\\', ';', '=', '\r', '\n', '-', ' ', '%'),
    maxLength: 20,
  })
  // Other parsers read an escape before a backslash and at the end.
  const name = text.filter((one) => !/\\(?:\\|$)/.test(one))
  // As FormData writes them.
  const written = (value: string) => value.replaceAll(/\r\n|\r|\n/g, '\r\n')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, text), { maxLength: 8 }), async (entries) => {
      const form = new FormData()
      for (const [name, value] of entries) form.append(name, value)
      const sent = new Response(form)
      const groups = Map.groupBy(entries, ([name]) => written(name))
      const expected = Object.fromEntries(
        [...groups].map(([name, group]) => [name, group.map(([, value]) => written(value))]),
      )
      const bytes = Buffer.from(await sent.arrayBuffer())
      const { body = 'null', ...rest } = await post(sent.headers.get('content-type') ?? '', bytes)
      expect({ ...rest, body: JSON.parse(body) as unknown }).toEqual({ status: 200, body: expected })
    }),
    { numRuns: 200 },
  )
})

describe('a form of the maximum size', () => {
  /** The least CPU time in milliseconds of some attempts, of which the last is below `limit` if one is. */
  const cpuOf = async (send: () => Promise<unknown>, limit: number): Promise<number> => {
    let least = Infinity
    // The first one compiles, and other work of the process makes some longer.
    for (let count = 0; count < 4 && least >= limit; count++) {
      const start = process.cpuUsage()
      await send()
      const { user, system } = process.cpuUsage(start)
      least = Math.min(least, (user + system) / 1_000)
    }
    return least
  }
  const most = (text: string, bytes = 65_536) => text.repeat(bytes / text.length)
  const small = '--b\r\nContent-Disposition:form-data;name=a\r\n\r\n\r\n'

  test.each<[string, string, string]>([
    ['one field again and again', urlencoded, most('a=&')],
    ['a list', urlencoded, `id=1&${most('ids=1&', 65_000)}`],
    ['a list of JSON', urlencoded, `id=1&${most('metas={}&', 65_000)}`],
    ['separators', urlencoded, most('&')],
    ['many parts', multipart, `${most(small, 65_000)}--b--`],
    ['boundaries', multipart, `--b\r\n\r\n${most('\r\n--b', 65_000)}`],
    [
      'different headers',
      multipart,
      `--b\r\n${Array.from({ length: 8_000 }, (_, at) => `a${String(at)}:\r\n`).join('')}`,
    ],
    ['blanks after the boundary', multipart, `--b${' '.repeat(65_000)}`],
    ['a header of quotes', multipart, `--b\r\n${named(most('\\"', 60_000))}\r\n\r\n\r\n--b--`],
    ['a header of parameters', multipart, `--b\r\n${named('a')}${most(';a="', 60_000)}\r\n\r\n\r\n--b--`],
  ])('takes less than 100 ms: %s', async (_what, type, body) => {
    const { post } = await serveBody(forms)
    expect(await cpuOf(() => post(type, body), 100)).toBeLessThan(100)
  })

  test('is limited like any body', async () => {
    const { post } = await serveBody(forms)
    expect((await post(multipart, parts(id, photo('x'.repeat(66_000))))).status).toBe(413)
  })
})

test('a form may arrive byte by byte; an incomplete one is refused', async () => {
  const { listen } = await serveBody(forms)
  const origin = await listen()
  const body = parts(id, photo('x')).toString('latin1')
  const start = `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${multipart}\r\n`
  const whole = `${start}Content-Length: ${String(body.length)}\r\n\r\n`
  const [slow] = await exchange(origin, whole, ...Array.from(body))
  expect(slow?.status).toBe(200)
  const chunk = body.slice(0, 40)
  const [cut] = await exchange(origin, `${start}Transfer-Encoding: chunked\r\n\r\n28\r\n${chunk}\r\n0\r\n\r\n`)
  expect([cut?.status, cut?.text]).toEqual([400, expect.stringContaining('no closing boundary') as string])
})
