import { json } from './contracts.ts'

type Schema = Record<string, unknown>

/** Writes schemas for one version of OpenAPI. */
interface Dialect {
  openapi: '3.0.4' | '3.1.1'
  /** The schema, or null. */
  nullable: (schema: Schema) => Schema
  only: (value: unknown) => Schema
}

const dialects: Dialect[] = [
  {
    openapi: '3.0.4',
    nullable: (schema) => ({ ...schema, nullable: true }),
    only: (value) => ({ enum: [value] }),
  },
  {
    openapi: '3.1.1',
    nullable: ({ type, ...schema }) =>
      typeof type === 'string' ? { ...schema, type: [type, 'null'] } : { anyOf: [{ ...schema }, { type: 'null' }] },
    only: (value) => ({ const: value }),
  },
]

const to = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const text = { type: 'string' }
const long = { type: 'integer', format: 'int64' }
const object = (properties: object, more: object = {}): Schema => ({ type: 'object', properties, ...more })

/** Schemas that others refer to as `Base`. */
const bases: Record<string, (dialect: Dialect) => Schema> = {
  object: () => object({ a: text, b: long }),
  'required object': () => object({ a: text, b: long }, { required: ['b'] }),
  'nullable object': ({ nullable }) => nullable(object({ a: text, b: long })),
  'object without a type': () => ({ properties: { a: text, b: long } }),
  'object with read-only and write-only properties': () =>
    object({ a: { ...text, readOnly: true }, b: { ...text, writeOnly: true }, d: text }),
  'object with defaults': () => object({ a: { ...text, default: 'x' }, b: { ...long, default: 1 } }),
  'closed object': () => object({ a: text }, { additionalProperties: false }),
  'object with others': () => object({ a: text }, { additionalProperties: long }),
  'map of texts': () => ({ type: 'object', additionalProperties: text }),
  'recursive object': () => object({ a: text, next: to('Base'), list: { type: 'array', items: to('Base') } }),
  alternatives: ({ only }) => ({
    oneOf: [
      object({ kind: only('one'), a: text }, { required: ['kind'] }),
      object({ kind: only('two'), b: long }, { required: ['kind'] }),
    ],
  }),
  'alternatives with defaults': ({ only }) => ({
    oneOf: [
      object({ kind: only('one'), a: { ...text, default: 'x' } }, { required: ['kind'] }),
      object({ kind: only('two'), b: long }, { required: ['kind'] }),
    ],
  }),
  'named alternatives': () => ({ anyOf: [to('First'), to('Second')] }),
  'discriminated alternatives': () => ({ oneOf: [to('First'), to('Second')], discriminator: { propertyName: 'kind' } }),
  'mapped alternatives': () => ({
    oneOf: [to('First'), to('Second')],
    discriminator: { propertyName: 'kind', mapping: { one: '#/components/schemas/First', two: 'Second' } },
  }),
  'object with a discriminator': () =>
    object({ kind: text, a: text }, { required: ['kind'], discriminator: { propertyName: 'kind' } }),
  composition: () => ({ allOf: [to('First'), object({ c: text })] }),
  'names that are no identifiers': () =>
    object({ 'a-b': text, '1': text, 'ü "q"': text, class: text, $ref: text, type: text, enum: text, a: text }),
}

/** Schemas named `Odd`, in which others of the contract are used in odd ways. */
const odds: Record<string, (dialect: Dialect) => Schema> = {
  'a reference': () => to('Base'),
  'a nullable reference': ({ nullable }) => nullable(to('Base')),
  'allOf of one': () => ({ allOf: [to('Base')] }),
  'nullable allOf of one': ({ nullable }) => nullable({ allOf: [to('Base')] }),
  'required beside allOf': () => ({ allOf: [to('Base'), object({ c: text })], required: ['a', 'c'] }),
  'required in an object of allOf': () => ({ allOf: [to('Base'), { type: 'object', required: ['a'] }] }),
  'required in allOf, without a type': () => ({ allOf: [{ required: ['a'] }, to('Base')] }),
  'nested allOf': () => ({
    allOf: [{ allOf: [to('Base'), object({ c: text })], required: ['a'] }, object({ e: long })],
  }),
  'required beside a reference to allOf': () => ({ allOf: [to('Composed')], required: ['a', 'c'] }),
  'properties beside allOf': () => ({ type: 'object', allOf: [to('Base')], properties: { c: text }, required: ['c'] }),
  'required beside oneOf': () => ({
    type: 'object',
    oneOf: [object({ x: text }), object({ y: text, x: long }, { required: ['y'] })],
    required: ['x'],
  }),
  'required of nothing': () => object({ c: to('Base') }, { required: ['c', 'undeclared'] }),
  'oneOf with null': ({ nullable }) => object({ c: nullable({ oneOf: [to('Base'), text] }) }, { required: ['c'] }),
  'anyOf of reference and list': () => ({ anyOf: [to('Base'), { type: 'array', items: to('Base') }] }),
  'a list': () => ({ type: 'array', items: to('Base'), minItems: 1 }),
  'a list of lists of nullable ones': ({ nullable }) => ({
    type: 'array',
    items: { type: 'array', items: nullable(to('Base')) },
  }),
  'a map': () => ({ type: 'object', additionalProperties: to('Base') }),
  'a map beside properties': () => object({ c: to('Base') }, { required: ['c'], additionalProperties: to('First') }),
  'a map of nullable ones': ({ nullable }) => ({ type: 'object', additionalProperties: nullable(to('Base')) }),
  'read-only, write-only and defaults': () =>
    object(
      {
        c: { allOf: [to('Base')], readOnly: true },
        d: { allOf: [to('Base')], writeOnly: true },
        e: { ...text, default: 'e' },
      },
      { required: ['c', 'd', 'e'] },
    ),
  'enums and null': ({ nullable }) =>
    object(
      {
        c: nullable({ ...text, enum: ['x', 'y', null] }),
        d: { enum: ['x', 1.5, true] },
        e: nullable({ type: 'number', enum: [1.5, 2.5, null] }),
        f: to('Base'),
      },
      { required: ['c', 'd', 'e'] },
    ),
  'not beside properties': () => object({ c: to('Base') }, { required: ['c'], not: { required: ['never'] } }),
  'a recursive union': () =>
    object({ c: { anyOf: [to('Odd'), to('Base'), text] }, d: { type: 'array', items: to('Odd') } }),
  'a child of a discriminated parent': () => ({
    allOf: [to('Parent'), object({ c: to('Base') }, { required: ['c'] })],
  }),
  'a discriminator in allOf': ({ nullable }) => object({ c: nullable({ allOf: [to('Pet')] }) }, { required: ['c'] }),
}

/** Those of JSON Schema 2020-12 alone. */
const newOdds: Record<string, (dialect: Dialect) => Schema> = {
  'required beside a reference': () => ({ ...to('Base'), required: ['a'] }),
  'properties beside a reference': () => ({ ...to('Base'), properties: { c: text }, required: ['c'] }),
  'several types': () => ({
    type: ['object', 'array', 'string', 'null'],
    properties: { c: to('Base') },
    required: ['c'],
    items: to('Base'),
  }),
  'a tuple': () => ({ type: 'array', prefixItems: [to('Base'), text], minItems: 1, items: false }),
  'a recursive tuple behind a reference': () =>
    object({ c: { type: 'array', prefixItems: [to('Odd'), to('Base')], minItems: 2 } }),
  patternProperties: () => object({ c: to('Base') }, { required: ['c'], patternProperties: { '^x-': long } }),
  unevaluatedProperties: () => ({ allOf: [to('Base')], properties: { c: text }, unevaluatedProperties: false }),
  conditions: () =>
    object(
      { kind: text, c: to('Base') },
      {
        required: ['kind'],
        if: { properties: { kind: { const: 'x' } } },
        then: { required: ['c'] },
        else: { properties: { z: text } },
      },
    ),
  dependents: () =>
    object(
      { c: to('Base'), d: text },
      { dependentRequired: { d: ['c'] }, dependentSchemas: { c: { properties: { y: text } } } },
    ),
  constants: () =>
    object(
      {
        c: { const: null },
        d: { const: 1.5 },
        e: { const: { x: [1.5, 'y'] } },
        f: { const: ['a', 2.5] },
        g: to('Base'),
      },
      { required: ['c', 'd', 'f'] },
    ),
  'booleans as schemas': () =>
    object({ c: true, d: false, e: { type: 'array', items: true }, f: to('Base') }, { required: ['c'] }),
}

const named = ({ only, nullable }: Dialect) => ({
  First: object({ kind: only('one'), a: text }, { required: ['kind'] }),
  Second: object({ kind: only('two'), b: long }, { required: ['kind'] }),
  Composed: { allOf: [to('Base'), object({ c: text })] },
  Parent: object(
    { petType: text, id: nullable(long) },
    { required: ['petType'], discriminator: { propertyName: 'petType', mapping: { odd: '#/components/schemas/Odd' } } },
  ),
  Pet: { oneOf: [to('Cat'), to('Dog')], discriminator: { propertyName: 'petType' } },
  Cat: object({ petType: only('cat'), a: text }, { required: ['petType'] }),
  Dog: object({ petType: only('dog'), b: text }, { required: ['petType'] }),
})

/** Contracts that are odd outside of their schemas. */
const others: Record<string, (dialect: Dialect) => object> = {
  'names that are no identifiers': ({ openapi }) => ({
    openapi,
    paths: {
      '/a-b/{x.y}/{class}': {
        parameters: ['x.y', 'class'].map((name) => ({ name, in: 'path', required: true, schema: text })),
        get: {
          operationId: 'list "all" \\ of `it` ${x}',
          parameters: [
            { name: 'filter[a]', in: 'query', schema: { type: 'array', items: to('a.b-c') } },
            { name: 'X-Odd.Name', in: 'header', schema: { ...long, default: 1 } },
            { name: 'a-b', in: 'cookie', schema: text },
          ],
          responses: { '4XX': { $ref: '#/components/responses/not-found' }, default: { description: '*/ @ts-ignore' } },
        },
        post: { responses: { 200: { $ref: '#/components/responses/not-found' } } },
      },
    },
    components: {
      schemas: {
        'a.b-c': text,
        Name: { $ref: '#/components/schemas/a.b-c' },
        constructor: object({ hasOwnProperty: to('a.b-c') }),
      },
      responses: {
        'not-found': {
          description: '`${x}` \n */ // @ts-expect-error',
          headers: { 'X-A.b': { $ref: '#/components/headers/x-y' }, 'x-c': { required: true, schema: long } },
          content: { 'application/problem+json; a="b"': { schema: to('constructor') }, 'text/*': { schema: text } },
        },
      },
      headers: { 'x-y': { schema: { type: 'array', items: text } } },
    },
  }),
  'texts that end comments and templates': ({ openapi, nullable }) => ({
    openapi,
    paths: {
      '/a': {
        get: { operationId: 'a', summary: '*/', responses: { 200: { description: '`', content: json(to('A')) } } },
      },
    },
    components: {
      schemas: {
        A: object(
          {
            quotes: { enum: ['"', "'", '`', '${x}', '\\', '\n', '\u2028', '*/', '', '🌱'] },
            signs: nullable({ type: 'number', enum: [-1, 0.5, 1e21] }),
            named: {
              type: 'integer',
              enum: [1, 2],
              'x-enum-varnames': ['a b', 'class'],
              description: '@ts-nocheck */',
            },
            text: { ...text, default: '*/ `', example: '*/', title: 'a\nb' },
          },
          { required: ['quotes'], description: '@ts-ignore' },
        ),
      },
    },
  }),
  'bodies of several types': ({ openapi }) => ({
    openapi,
    paths: {
      '/a': {
        post: {
          operationId: 'a',
          requestBody: {
            content: {
              ...json(to('A')),
              'multipart/form-data': {
                schema: object(
                  {
                    file: { ...text, format: 'binary' },
                    files: { type: 'array', items: { ...text, format: 'binary' } },
                    a: to('A'),
                  },
                  { required: ['file'] },
                ),
              },
              'application/x-www-form-urlencoded': { schema: { allOf: [to('A')], required: ['b'] } },
              'image/*': { schema: { ...text, format: 'binary' } },
              'text/plain': {},
            },
          },
          callbacks: {
            done: {
              '{$request.body#/url}': {
                post: { requestBody: { content: json(to('A')) }, responses: { 200: { description: 'a' } } },
              },
            },
          },
          responses: {
            '2XX': { description: 'a', content: { ...json(to('A')), 'application/x-ndjson': {}, '*/*': {} } },
            204: { description: 'b' },
            304: { description: 'c' },
          },
        },
        trace: { responses: { default: { description: 'a', content: json({}) } } },
      },
    },
    components: { schemas: { A: object({ a: text, b: { ...long, minimum: 1 } }) } },
  }),
  'references everywhere': ({ openapi }) => ({
    openapi,
    paths: {
      '/a/{id}': {
        parameters: [{ $ref: '#/components/parameters/id' }, { $ref: '#/components/parameters/page' }],
        put: {
          operationId: 'a',
          requestBody: { $ref: '#/components/requestBodies/A' },
          responses: {
            200: { $ref: '#/components/responses/A' },
            404: { description: 'a', content: json({ $ref: '#/components/schemas/A/properties/b' }) },
          },
        },
      },
    },
    components: {
      parameters: {
        id: { name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/A/properties/b' } },
        page: { name: 'page', in: 'query', schema: { $ref: '#/components/schemas/Page' } },
      },
      requestBodies: { A: { required: true, content: json({ $ref: '#/components/schemas/A' }) } },
      responses: {
        A: {
          description: 'a',
          content: json({ type: 'array', items: { $ref: '#/components/schemas/A/properties/c/items' } }),
        },
      },
      schemas: {
        Page: { allOf: [{ type: 'object' }, object({ size: { ...long, default: 5 } })], required: ['size'] },
        A: object({ a: text, b: long, c: { type: 'array', items: object({ d: to('A') }) } }),
        Alias: to('A'),
      },
    },
  }),
}

/** Contracts that are hard to write as types, by what is odd in them. Those of `Odd` have one operation, `make`. */
export function oddContracts(): Record<string, object> {
  const contracts: Record<string, object> = {}
  for (const dialect of dialects) {
    const rest = { info: { title: 'Odd', version: '1.0.0' }, security: [] }
    const { openapi } = dialect
    for (const [name, other] of Object.entries(others))
      contracts[`${openapi}: ${name}`] = { ...other(dialect), ...rest }
    const own = openapi === '3.0.4' ? odds : { ...odds, ...newOdds }
    for (const [b, [base, baseOf]] of Object.entries(bases).entries()) {
      for (const [o, [odd, oddOf]] of Object.entries(own).entries()) {
        // Every other pair, and those of both versions.
        if ((b + o) % 2 !== dialects.indexOf(dialect)) continue
        const schemas = { ...named(dialect), Base: baseOf(dialect), Odd: oddOf(dialect) }
        const content = json(to('Odd'))
        const responses = { 200: { description: 'Made.', content } }
        const post = { operationId: 'make', requestBody: { required: true, content }, responses }
        contracts[`${openapi}: ${odd}, of ${base}`] = {
          openapi,
          ...rest,
          paths: { '/odd': { post } },
          components: { schemas },
        }
      }
    }
  }
  return contracts
}
