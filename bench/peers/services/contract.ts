/** The kinds of records, each with a list of twenty and a create. */
export type Kind = 'plain' | 'int64' | 'oneOf' | 'large'

const text = { type: 'string', minLength: 1, maxLength: 200 } as const
const whole = { type: 'integer', minimum: 0 } as const
const required = ['id', 'name', 'email', 'age', 'active', 'role'] as const

/** Six members. */
function recordWith(id: object) {
  const role = { type: 'string', enum: ['admin', 'member', 'guest'] } as const
  const email = { type: 'string', format: 'email' } as const
  const properties = { id, name: text, email, age: { ...whole, maximum: 150 }, active: { type: 'boolean' }, role }
  return { type: 'object', required: [...required], properties }
}

const card = {
  type: 'object',
  required: ['kind', 'number', 'name', 'month', 'year', 'active'],
  properties: {
    kind: { type: 'string', enum: ['card'] },
    number: text,
    name: text,
    month: { ...whole, maximum: 12 },
    year: whole,
    active: { type: 'boolean' },
  },
}
const transfer = {
  type: 'object',
  required: ['kind', 'account', 'name', 'bank', 'amount', 'active'],
  properties: {
    kind: { type: 'string', enum: ['transfer'] },
    account: text,
    name: text,
    bank: text,
    amount: { type: 'number', minimum: 0 },
    active: { type: 'boolean' },
  },
}

const plain = recordWith(whole)
const list = (items: object) => ({ type: 'array', items })

/** What each kind takes and returns. A large body has many; its response counts them. */
export const schemas = {
  plain: { body: plain, created: plain, listed: list(plain) },
  int64: (() => {
    const record = recordWith({ type: 'integer', format: 'int64' })
    return { body: record, created: record, listed: list(record) }
  })(),
  oneOf: (() => {
    const record = { oneOf: [card, transfer] }
    return { body: record, created: record, listed: list(record) }
  })(),
  large: {
    body: { type: 'object', required: ['records'], properties: { records: list(plain) } },
    created: { type: 'object', required: ['count'], properties: { count: whole } },
    listed: list(plain),
  },
} satisfies Record<Kind, { body: object; created: object; listed: object }>

const json = (schema: object) => ({ 'application/json': { schema } })
const failure = { description: 'A failure.' }

function pathOf(kind: Kind) {
  const { body, created, listed } = schemas[kind]
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 100 } }
  return {
    get: {
      operationId: `list_${kind}`,
      parameters: [limit],
      responses: { 200: { description: 'The records.', content: json(listed) }, default: failure },
    },
    post: {
      operationId: `create_${kind}`,
      requestBody: { required: true, content: json(body) },
      responses: { 200: { description: 'The record.', content: json(created) }, default: failure },
    },
  }
}

export const kinds = Object.keys(schemas) as Kind[]

/** One service, with a path for each kind. */
export const contract = {
  openapi: '3.1.0',
  info: { title: 'Records', version: '1.0.0' },
  servers: [{ url: '/' }],
  security: [],
  paths: Object.fromEntries(kinds.map((kind) => [`/${kind}`, pathOf(kind)])),
}
