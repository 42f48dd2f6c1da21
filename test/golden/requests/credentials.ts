import { type GoldenRequest, type Parts, message, shown, together, tokens } from './request.ts'

const unknownToken = `plst_${'a'.repeat(43)}`
const jwt = `eyJhbGciOiJub25lIn0.${Buffer.from('{"sub":"me","exp":9999999999}').toString('base64url')}.`

/** Values of Authorization, the good ones first. */
const values = [
  ...[
    `Bearer ${tokens.own}`,
    `bearer ${tokens.own}`,
    `BEARER ${tokens.own}`,
    `bEaReR ${tokens.own}`,
    `Bearer   ${tokens.own}`,
  ],
  ...[
    `  Bearer ${tokens.own}`,
    `\tBearer ${tokens.own}`,
    `Bearer ${tokens.own}  `,
    `Bearer ${tokens.own}\t`,
    `Bearer \t${tokens.own}`,
  ],
  ...[
    `Bearer\t${tokens.own}`,
    `Bearer${tokens.own}`,
    `Bearer:${tokens.own}`,
    `Bearer=${tokens.own}`,
    `Bearer "${tokens.own}"`,
  ],
  ...[
    `Bearer <${tokens.own}>`,
    `Bearer ${tokens.own},`,
    `Bearer ${tokens.own}, Bearer ${tokens.own}`,
    `Bearer ${tokens.own} x`,
  ],
  ...[
    `Bearer ${tokens.own} ${tokens.own}`,
    `Bearer ${tokens.own};a=b`,
    `Bearer token=${tokens.own}`,
    `Bearer token="${tokens.own}"`,
  ],
  ...[
    `Bearer realm="a" ${tokens.own}`,
    `Bearer ${tokens.own}=`,
    `Bearer ${tokens.own}==`,
    `Bearer ${tokens.own}A`,
    `Bearer A${tokens.own}`,
  ],
  ...[
    `Bearer %70${tokens.own.slice(1)}`,
    `Bearer ${tokens.own}%20`,
    `Bearer ${tokens.own}\xa0`,
    `Bearer ${tokens.own}\xe9`,
  ],
  ...[
    tokens.own,
    `Token ${tokens.own}`,
    `Basic ${tokens.own}`,
    `Digest ${tokens.own}`,
    `ApiKey ${tokens.own}`,
    `Bearers ${tokens.own}`,
  ],
  ...[
    `xBearer ${tokens.own}`,
    `Bearer Bearer ${tokens.own}`,
    `Basic ${Buffer.from('me:x').toString('base64')}`,
    `, Bearer ${tokens.own}`,
  ],
  ...[
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'bearer',
    'Bearer  ',
    'Bearer =',
    'Bearer ==',
    'Bearer a',
    'Bearer a=',
    'Bearer a=b',
    'Bearer ""',
  ],
  ...[
    'Bearer ,',
    'Bearer a,b',
    'Bearer a b',
    'Bearer null',
    'Bearer undefined',
    'Bearer 0',
    'Bearer ~',
    'Bearer .',
    'Bearer -._~+/',
  ],
  ...[
    'Bearer \xe9',
    'Bearer a\xe9',
    '\xe9',
    'Bearer *',
    'Bearer {}',
    "Bearer ' OR 1=1 --",
    'Basic',
    'Basic !',
    'Digest',
    'Negotiate YII=',
  ],
  ...[
    `Bearer ${unknownToken}`,
    `Bearer ${unknownToken.slice(0, -1)}`,
    `Bearer ${unknownToken}a`,
    'Bearer plst_',
    'Bearer plst',
  ],
  ...[
    `Bearer ${unknownToken.toUpperCase()}`,
    `Bearer ${'a'.repeat(8_000)}`,
    `Bearer ${jwt}`,
    `Bearer ${jwt}x`,
    'Bearer a.b.c',
    'Bearer ..',
  ],
  ...[`Bearer ${tokens.expired}`, `Bearer ${tokens.revoked}`, `Bearer ${tokens.scoped}`],
]

const operations: readonly (readonly [string, Parts])[] = [
  ['list', {}],
  ['create', { method: 'POST', body: '{"id":1,"name":""}' }],
  ['delete', { method: 'DELETE', target: '/plants/1' }],
]

const fields: readonly (readonly [string, Parts])[] = [
  ['no field', { authorization: null }],
  ['two good fields', { fields: [`Authorization: Bearer ${tokens.own}`] }],
  ['a good field and a bad one', { fields: ['Authorization: Bearer x'] }],
  ['a bad field and a good one', { authorization: 'Bearer x', fields: [`Authorization: Bearer ${tokens.own}`] }],
  ['another scheme and a good field', { authorization: 'Basic bWU6', fields: [`Authorization: Bearer ${tokens.own}`] }],
  ['an empty field and a good one', { authorization: '', fields: [`Authorization: Bearer ${tokens.own}`] }],
  ['a name in lower case', { authorization: null, fields: [`authorization: Bearer ${tokens.own}`] }],
  ['a name in upper case', { authorization: null, fields: [`AUTHORIZATION: Bearer ${tokens.own}`] }],
  ['no white space after the colon', { authorization: null, fields: [`Authorization:Bearer ${tokens.own}`] }],
  ['Proxy-Authorization', { authorization: null, fields: [`Proxy-Authorization: Bearer ${tokens.own}`] }],
  ['X-Authorization', { authorization: null, fields: [`X-Authorization: Bearer ${tokens.own}`] }],
  ['X-Api-Key', { authorization: null, fields: [`X-Api-Key: ${tokens.own}`] }],
  ['Cookie', { authorization: null, fields: [`Cookie: access_token=${tokens.own}; token=${tokens.own}`] }],
]

const inQuery: readonly GoldenRequest[] = ['access_token', 'token', 'api_key', 'authorization', 'bearer'].map((name) =>
  together(
    `credentials: ${name} in the query`,
    message({ target: `/plants?${name}=${tokens.own}`, authorization: null }),
  ),
)

const onOpenPaths: readonly GoldenRequest[] = ['/livez', '/openapi.json', '/docs', '/nowhere', '/plants/1/2'].flatMap(
  (target) =>
    ['Bearer x', '', `Bearer ${tokens.revoked}`, 'Basic x'].map((authorization) =>
      together(
        `credentials: ${shown(authorization)} for ${target}`,
        message({ target, authorization, method: 'HEAD' }),
      ),
    ),
)

/** Credentials in every form, for each operation. */
export const credentials: readonly GoldenRequest[] = [
  ...operations.flatMap(([operation, parts]) => [
    ...values.map((authorization) =>
      together(`credentials of ${operation}: ${shown(authorization)}`, message({ ...parts, authorization })),
    ),
    ...fields.map(([title, more]) => together(`credentials of ${operation}: ${title}`, message({ ...parts, ...more }))),
  ]),
  ...inQuery,
  ...onOpenPaths,
]
