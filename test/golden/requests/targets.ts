import { type GoldenRequest, ended, message, raw, shown, together, tokens } from './request.ts'

/** The methods of HTTP, WebDAV and what else Node's parser knows, and some that nobody knows. */
const methods = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'ACL', 'BIND', 'CHECKOUT', 'COPY', 'LINK'],
  ...['LOCK', 'M-SEARCH', 'MERGE', 'MKACTIVITY', 'MKCALENDAR', 'MKCOL', 'MOVE', 'NOTIFY', 'PROPFIND', 'PROPPATCH'],
  ...[
    'PURGE',
    'QUERY',
    'REBIND',
    'REPORT',
    'SEARCH',
    'SOURCE',
    'SUBSCRIBE',
    'UNBIND',
    'UNLINK',
    'UNLOCK',
    'UNSUBSCRIBE',
  ],
  ...['CONNECT', 'PRI', 'ANNOUNCE', 'DESCRIBE', 'SETUP', 'PLAY', 'PAUSE', 'RECORD', 'TEARDOWN', 'GET_PARAMETER'],
  ...['SET_PARAMETER', 'REDIRECT', 'FLUSH', 'get', 'Get', 'post', 'delete', 'BREW', 'GETT', 'GE', 'X', '*', 'G\xcbT'],
]

const targetsOfMethods = ['/plants', '/plants/54', '/livez', '/nowhere', '*']

const byMethod: readonly GoldenRequest[] = targetsOfMethods.flatMap((target) =>
  methods.map((method) => ended(`method: ${shown(method)} ${target}`, message({ method, target }))),
)

const otherProtocols: readonly GoldenRequest[] = [
  'RTSP/1.0',
  'RTSP/2.0',
  'ICE/1.0',
  'SIP/2.0',
  'HTTP/2.0',
  'HTTP/1.0',
].flatMap((version) =>
  ['GET', 'POST', 'OPTIONS', 'ANNOUNCE', 'DESCRIBE', 'SETUP', 'PLAY', 'SOURCE', 'FLUSH'].map((method) =>
    ended(`version: ${method} ${version}`, message({ method, version, target: '/plants' })),
  ),
)

const paths = [
  ...[
    '/',
    '/plant',
    '/Plants',
    '/PLANTS',
    '/plants/',
    '/plants//',
    '//plants',
    '/./plants',
    '/plants/.',
    '/a/../plants',
  ],
  ...[
    '/plants/54/',
    '/plants/54/leaves',
    '/plants/54/55',
    '/plants//54',
    '/plants/../plants',
    '/v1/plants',
    '/1.0.0/plants',
  ],
  ...[
    '/plants;v=1',
    '/plants.json',
    '/plants,',
    '/plants:',
    '/plants%2F54',
    '/plants%2f',
    '/%2Fplants',
    '/plants%20',
    '/plants%00',
  ],
  ...[
    '/plants%3Flimit=1',
    '/plants%23',
    '/pl%61nts',
    '/%70%6c%61%6e%74%73',
    '/plants%',
    '/plants%zz',
    '/plants%ff',
    '/%',
    '/%zz',
  ],
  ...[
    '/%E0%A4%A',
    '/%C0%AF',
    '/%2e%2e/plants',
    '/\\plants',
    '/plants\\54',
    '/plants|',
    '/pl"ants',
    '/<plants>',
    '/{plants}',
  ],
  ...[
    '/plants/{id}',
    '/plants/:id',
    '/plants/*',
    '/*',
    '/plants/%2F',
    '/plants/%2F54',
    '/plants/54%2F',
    '/plants/54%3Fa',
  ],
  ...[
    '/plants/54#a',
    '/plants#a',
    '/plants/#',
    '/plants?#',
    '/docs/nothing',
    '/docs/../plants',
    '/openapi',
    '/openapi.yml',
  ],
  ...[
    '/openapi.json/',
    '/openapi.JSON',
    '/livez/',
    '/healthz',
    '/metrics',
    '/favicon.ico',
    '/robots.txt',
    '/.env',
    '/.git/config',
  ],
  ...[
    '/generated/contract.json',
    '/src/main.ts',
    '/package.json',
    '/constructor',
    '/__proto__',
    '/toString',
    '/?plants',
    '/%00',
  ],
  ...['/plants/__proto__', '/plants/constructor', '/\xe9', '/plants/\xe9', '/plants/\xff', `/${'a'.repeat(5_000)}`],
  ...[`/plants/${'1'.repeat(5_000)}`, `/${'a/'.repeat(500)}`, `/plants/${'%31'.repeat(300)}`, '/%F0%9F%8C%B1'],
]

/** A long target as a name shows it. */
function clipped(target: string): string {
  return target.length > 80 ? `${shown(target.slice(0, 40))}… (${String(target.length)})` : shown(target)
}

const byPath: readonly GoldenRequest[] = paths.flatMap((target) =>
  ['GET', 'DELETE'].map((method) => ended(`path: ${method} ${clipped(target)}`, message({ method, target }))),
)

const forms = [
  ...['http://plants.example/plants', 'HTTP://plants.example/plants', 'https://plants.example:8443/plants?limit=1'],
  ...[
    'http://plants.example',
    'http://plants.example/',
    'http://plants.example?limit=1',
    'http://plants.example/plants/54',
  ],
  ...[
    'http:///plants',
    'http://',
    'http:',
    'http:/plants',
    'https:///plants',
    'http://?a',
    'http:plants',
    'ftp://a/plants',
  ],
  ...[
    'file:///plants',
    'javascript:alert(1)',
    'a:b',
    'http://user:password@a/plants',
    'http://a:b/plants',
    'http://[::1]/plants',
  ],
  ...[
    'http://[::1/plants',
    'http://a b/plants',
    'http://a/pl%61nts',
    'http://a/%zz',
    'http://%zz/plants',
    'http://a//plants',
  ],
  ...[
    'http://a/plants#b',
    'http://a#b',
    'http://a\\plants',
    'ws://a/plants',
    'wss://a/plants',
    'plants',
    'plants/54',
    '54',
  ],
  ...[
    '*',
    '**',
    '*/plants',
    '/*',
    '?',
    '?limit=1',
    '#',
    '.',
    '..',
    '-',
    '',
    ' /plants',
    'a:80',
    'a.example:443',
    '[::1]:80',
  ],
]

const byForm: readonly GoldenRequest[] = forms.flatMap((target) =>
  ['GET', 'OPTIONS', 'CONNECT'].map((method) =>
    ended(`target: ${method} ${shown(target)}`, message({ method, target })),
  ),
)

/** The pages that need no token, and what a client may ask of them. */
const pages = [
  ...['/livez', '/readyz', '/openapi.yaml', '/openapi.json', '/docs', '/docs/', '/docs/json', '/docs/yaml'],
  ...['/docs/static/index.html', '/docs/static/swagger-initializer.js', '/docs/static/theme/favicon.svg'],
  ...[
    '/docs/static/theme/narrow.css',
    '/docs/static/swagger-ui.css',
    '/docs/static/swagger-ui.js',
    '/docs/static/index.css',
  ],
  ...['/docs/static/swagger-ui-bundle.js', '/docs/static/swagger-ui-standalone-preset.js', '/docs/static/logo.svg'],
  ...['/docs/static/favicon-16x16.png', '/docs/static/favicon-32x32.png', '/docs/static/oauth2-redirect.html'],
  ...[
    '/docs/static/oauth2-redirect.js',
    '/docs/static/csp.json',
    '/docs/static',
    '/docs/static/',
    '/docs/static/nothing.js',
  ],
  ...[
    '/docs/static/..%2f..%2fpackage.json',
    '/docs/static/%2e%2e/package.json',
    '/docs/static/%00',
    '/docs/index.html',
  ],
  ...[
    '/docs/static/swagger-ui.css/',
    '/docs/static/swagger-ui.css.map',
    '/docs/static/theme',
    '/docs/static/theme/nothing.css',
  ],
  ...[
    '/docs?a=b',
    '/livez?a=b',
    '/openapi.json?a',
    '/docs/static/swagger-ui.css?v=1',
    '/docs/static/swagger-ui%2ecss',
    '/docs/static//logo.svg',
  ],
]

const conditions: readonly (readonly string[])[] = [
  ['If-None-Match: *'],
  ['If-None-Match: "x"'],
  [`If-None-Match: ${tokens.etag}`],
  [`If-None-Match: W/${tokens.etag}`],
  [`If-None-Match: "x", ${tokens.etag}`],
  [`If-None-Match: ${tokens.etag}`, 'If-None-Match: "x"'],
  [`If-Match: ${tokens.etag}`],
  ['If-None-Match: "x", *'],
  ['If-None-Match: "x"', 'If-None-Match: *'],
  ['If-None-Match: W/"x"'],
  ['If-None-Match:'],
  ['If-Match: "x"'],
  ['If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT'],
  ['If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT'],
  ['Range: bytes=0-9'],
  ['Range: bytes=-1'],
  ['Range: bytes=9999999-'],
  ['Range: x'],
  ['Range: bytes=0-1', 'If-Range: "x"'],
  ['Accept-Encoding: gzip, br'],
  ['Accept: text/plain'],
  ['Origin: https://plants.example'],
  ['X-Request-Id: my-id'],
]

const byPage: readonly GoldenRequest[] = [
  ...pages.flatMap((target) =>
    ['GET', 'HEAD', 'POST'].map((method) =>
      ended(`page: ${method} ${target}`, message({ method, target, authorization: null })),
    ),
  ),
  ...['/docs/static/logo.svg', '/docs', '/openapi.json', '/livez', '/plants'].flatMap((target) =>
    ['GET', 'HEAD'].flatMap((method) =>
      conditions.map((fields) =>
        together(`page: ${method} ${target} with ${fields.join(' and ')}`, message({ method, target, fields })),
      ),
    ),
  ),
  ...['OPTIONS', 'PUT', 'DELETE'].flatMap((method) =>
    ['/docs/', '/docs/static/logo.svg', '/readyz', '/openapi.yaml'].map((target) =>
      together(`page: ${method} ${target}`, message({ method, target })),
    ),
  ),
]

/** Values of X-Request-Id: those that are repeated, and those that are not. */
const requestIds = [
  ...[
    'a',
    'my-id',
    'A.b_c-1',
    '0',
    'a'.repeat(128),
    'a'.repeat(129),
    '',
    ' ',
    'a b',
    'a,b',
    'a/b',
    '\xe9',
    '"a"',
    '<a>',
  ],
  ...['123e4567-e89b-12d3-a456-426614174000', `plst_${'a'.repeat(43)}`, 'plst_', 'eyJhbGciOiJub25lIn0.e30.', 'a\tb'],
]

const byRequestId: readonly GoldenRequest[] = [
  ...requestIds.flatMap((id) =>
    ['/plants', '/nowhere'].map((target) =>
      together(`X-Request-Id: ${shown(id)} for ${target}`, message({ target, fields: [`X-Request-Id: ${id}`] })),
    ),
  ),
  together('X-Request-Id: twice', message({ fields: ['X-Request-Id: a', 'X-Request-Id: b'] })),
  together('X-Request-Id: with a refused token', message({ authorization: 'Bearer x', fields: ['X-Request-Id: a'] })),
  together('X-Request-Id: of bytes that are no request', raw('GET /plants HTTP/1.1\r\nX-Request-Id: a\r\nb\r\n\r\n')),
]

/** Methods, paths, forms of the target, and the pages that need no token. */
export const targets: readonly GoldenRequest[] = [
  ...byMethod,
  ...otherProtocols,
  ...byPath,
  ...byForm,
  ...byPage,
  ...byRequestId,
  ...['GET', 'HEAD', 'OPTIONS', 'DELETE', 'PUT'].map((method) =>
    together(`method: ${method} of a caller's plants`, message({ method, authorization: `Bearer ${tokens.few}` })),
  ),
]
