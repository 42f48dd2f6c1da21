import { describe, expect, it } from 'vitest'
import { checkContract } from '../../src/contract/check-contract.ts'
import { type ContractDocument, dereference } from '../../src/contract/document.ts'
import { contractOf, getThing, id, ok, thing, withBody, withComponents, withParameter } from './things-contract.ts'

/** What is wrong with a contract, on one line. */
function problemOf(contract: ContractDocument): string {
  const problem = checkContract(dereference(contract)).join('; ')
  expect(problem).not.toContain('\n')
  return problem
}

describe('the check of a contract', () => {
  it('finds no problem in one that can be served', () => {
    expect(problemOf(contractOf())).toBe('')
  })

  it.each([
    [
      'of another version',
      contractOf({}, { openapi: '3.0.3' }),
      'openapi: must be 3.1.x, the version that this service reads, not 3.0.3',
    ],
    [
      'without a version',
      contractOf({}, { openapi: undefined }),
      'openapi: must be 3.1.x, the version that this service reads, not undefined',
    ],
    ['without paths', contractOf({}, { paths: undefined }), 'paths: there is no operation'],
    ['without an operationId', contractOf({ operationId: undefined }), 'GET /things/{id}: has no operationId'],
    [
      'with an operationId that is used twice',
      contractOf({}, { paths: { '/things/{id}': { get: getThing }, '/others/{id}': { get: getThing } } }),
      'operationId getThing: is used more than once',
    ],
    ['without responses', contractOf({ responses: undefined }), 'operation getThing: declares no response'],
    [
      'with a response for no one status',
      contractOf({ responses: { ...ok, default: { description: 'Other.' } } }),
      'operation getThing: declares the response default; name each status, so that a reply can be checked against it',
    ],
    [
      'with a response for a range',
      contractOf({ responses: { ...ok, '4XX': { description: 'Other.' } } }),
      'operation getThing: declares the response 4XX; name each status, so that a reply can be checked against it',
    ],
    [
      'without security',
      contractOf({}, { security: undefined }),
      'operation getThing: can be called without credentials, and every operation of this service acts for a caller',
    ],
    [
      'with an operation without security',
      contractOf({ security: [] }),
      'operation getThing: can be called without credentials, and every operation of this service acts for a caller',
    ],
    [
      'with security that is optional',
      contractOf({ security: [{ bearer: [] }, {}] }),
      'operation getThing: can be called without credentials, and every operation of this service acts for a caller',
    ],
    [
      'with a security scheme that it does not describe',
      withComponents({ securitySchemes: {} }),
      'operation getThing: requires the security scheme bearer, which components/securitySchemes does not describe',
    ],
  ])('on a contract %s', (_fault, contract, message) => {
    expect(problemOf(contract)).toBe(message)
  })

  it.each([
    [
      'in a cookie',
      { name: 'session', in: 'cookie', schema: { type: 'string' } },
      'operation getThing: the cookie parameter session is in a cookie, which this service does not read',
    ],
    [
      'with a style of its own',
      { name: 'tags', in: 'query', style: 'pipeDelimited', schema: { type: 'array' } },
      'operation getThing: the query parameter tags has a style of its own, which this service does not read',
    ],
    [
      'that is exploded or not',
      { name: 'tags', in: 'query', explode: false, schema: { type: 'array' } },
      'operation getThing: the query parameter tags has a style of its own, which this service does not read',
    ],
    [
      'that is an object',
      { name: 'filter', in: 'query', schema: { type: 'object' } },
      'operation getThing: the query parameter filter is an object, which this service does not read',
    ],
    [
      'that is an array outside of the query',
      { name: 'X-Tags', in: 'header', schema: { type: 'array' } },
      'operation getThing: the header parameter X-Tags is an array, which this service reads from queries alone',
    ],
    [
      'without a schema',
      { name: 'filter', in: 'query', content: { 'application/json': { schema: {} } } },
      'operation getThing: the query parameter filter has no schema',
    ],
    [
      'that the path does not have',
      { name: 'plot', in: 'path', required: true, schema: { type: 'string' } },
      'operation getThing: the path parameter plot is not in /things/{id}',
    ],
    [
      'that is described twice',
      { ...id, schema: { type: 'string' } },
      'operation getThing: the path parameter id is described twice',
    ],
  ])('on a parameter %s', (_fault, parameter, message) => {
    expect(problemOf(withParameter(parameter))).toBe(message)
  })

  it('on a path parameter that is not described, or described for the path and the operation', () => {
    expect(problemOf(contractOf({ parameters: [] }))).toBe('operation getThing: the path parameter id is not described')
    expect(problemOf(contractOf({}, { paths: { '/things/{id}': { parameters: [id], get: getThing } } }))).toBe(
      'operation getThing: the path parameter id is described twice',
    )
  })

  it('on a path whose segment is a parameter in part', () => {
    expect(problemOf(contractOf({}, { paths: { '/things/{id}.json': { get: getThing } } }))).toBe(
      'operation getThing: a segment of /things/{id}.json must be wholly literal or wholly one {parameter}',
    )
  })

  it.each([
    [
      'of another media type',
      { content: { 'text/plain': { schema: { type: 'string' } } } },
      'operation getThing: takes a body of text/plain, and this service reads application/json',
    ],
    [
      'of several media types',
      { content: { 'application/json': { schema: thing }, 'application/xml': { schema: thing } } },
      'operation getThing: takes a body of application/json, application/xml, and this service reads application/json',
    ],
    [
      'that is a bare integer',
      { content: { 'application/json': { schema: { type: 'integer', format: 'int64' } } } },
      'operation getThing: takes a bare integer as its body; wrap it in an object, so that it is read exactly',
    ],
  ])('on a body %s', (_fault, requestBody, message) => {
    expect(problemOf(contractOf({ requestBody }))).toBe(message)
  })

  it.each([
    ['a string', { type: 'string', format: 'plant' }, /^operation getThing: query\/at: unknown format "plant"/],
    [
      'an integer',
      { type: 'integer', format: 'int16' },
      /^operation getThing: query\/at: unknown format "int16" of a schema of type integer$/,
    ],
    [
      'a string whose format is one of numbers',
      { type: 'string', format: 'int64' },
      /^operation getThing: query\/at: unknown format "int64"/,
    ],
    [
      'a boolean',
      { type: 'boolean', format: 'int32' },
      /^operation getThing: query\/at: unknown format "int32" of a schema of type boolean$/,
    ],
    [
      'the members of an array',
      { type: 'array', items: { type: 'number', format: 'decimal' } },
      /^operation getThing: query\/at: unknown format "decimal" of a schema of type number$/,
    ],
  ])('on a format that nobody checks, of %s', (_type, schema, message) => {
    expect(problemOf(withParameter({ name: 'at', in: 'query', schema }))).toMatch(message)
  })

  it('on such a format in a body, a response, a header and a schema that nothing refers to', () => {
    const schema = { type: 'string', format: 'plant' }
    expect(problemOf(withBody({ type: 'object', properties: { at: schema } }))).toMatch(
      /^operation getThing: requestBody\/application\/json: unknown format "plant"/,
    )
    expect(
      problemOf(contractOf({ responses: { 200: { description: '', content: { 'application/json': { schema } } } } })),
    ).toMatch(/^operation getThing: responses\/200\/application\/json: unknown format "plant"/)
    expect(problemOf(contractOf({ responses: { 200: { description: '', headers: { 'X-At': { schema } } } } }))).toMatch(
      /^operation getThing: responses\/200\/headers\/X-At: unknown format "plant"/,
    )
    expect(problemOf(withComponents({ schemas: { At: schema } }))).toMatch(
      /^components\/schemas\/At: unknown format "plant"/,
    )
    expect(
      problemOf(
        contractOf(
          {},
          { 'x-unmatched-responses': { 404: { description: '', content: { 'application/json': { schema } } } } },
        ),
      ),
    ).toMatch(/^x-unmatched-responses\/404\/application\/json: unknown format "plant"/)
  })

  it('on a keyword that nobody checks', () => {
    expect(problemOf(withBody({ type: 'object', maxProps: 1 }))).toBe(
      'operation getThing: requestBody/application/json: strict mode: unknown keyword: "maxProps"',
    )
  })

  it.each([
    [
      'a parameter',
      withParameter({ name: 'limit', in: 'query', schema: { type: 'integer' }, example: 'ten' }),
      'operation getThing: query/limit/example: the example must be an integer',
    ],
    [
      'a parameter, by name',
      withParameter({
        name: 'limit',
        in: 'query',
        schema: { type: 'integer', format: 'int32' },
        examples: { most: { value: 2147483648 } },
      }),
      'operation getThing: query/limit/examples/most: the example must be an integer from -2147483648 to 2147483647',
    ],
    [
      "a parameter's schema",
      withParameter({ name: 'limit', in: 'query', schema: { type: 'integer', examples: [1, 1.5] } }),
      'operation getThing: query/limit: the example must be an integer',
    ],
    [
      'a body',
      withBody(thing, { example: { name: 1 } }),
      'operation getThing: requestBody/application/json/example: the example /name must be string',
    ],
    [
      "a property of a body's schema",
      withBody({ type: 'object', properties: { name: { type: 'string', example: 1 } } }),
      'operation getThing: requestBody/application/json/properties/name: the example must be string',
    ],
    [
      'a response',
      contractOf({
        responses: {
          200: {
            description: '',
            content: { 'application/json': { schema: thing, examples: { none: { value: {} } } } },
          },
        },
      }),
      "operation getThing: responses/200/application/json/examples/none: the example must have required property 'name'",
    ],
    [
      'a header',
      contractOf({
        responses: {
          200: { description: '', headers: { 'Retry-After': { schema: { type: 'integer', minimum: 1 }, example: 0 } } },
        },
      }),
      'operation getThing: responses/200/headers/Retry-After/example: the example must be an integer of at least 1',
    ],
    [
      'a schema',
      withComponents({ schemas: { Thing: { ...thing, examples: [{ name: 'a' }, {}] } } }),
      "components/schemas/Thing: the example must have required property 'name'",
    ],
    [
      'a schema deep inside of another',
      withComponents({
        schemas: { Thing: { allOf: [thing, { type: 'array', items: { type: 'string', examples: [54] } }] } },
      }),
      'components/schemas/Thing/allOf/1/items: the example must be string',
    ],
    [
      'a response to no operation',
      contractOf(
        {},
        {
          'x-unmatched-responses': {
            404: { description: '', content: { 'application/json': { schema: thing, example: 1 } } },
          },
        },
      ),
      'x-unmatched-responses/404/application/json/example: the example must be object',
    ],
  ])('on an example that breaks its schema, of %s', (_place, contract, message) => {
    expect(problemOf(contract)).toBe(message)
  })

  it('on an example that is wrong by one beyond 2^53', () => {
    const schema = { type: 'integer', format: 'int64', maximum: 9007199254740993n }
    expect(problemOf(withParameter({ name: 'n', in: 'query', schema, example: 9007199254740993n }))).toBe('')
    expect(problemOf(withParameter({ name: 'n', in: 'query', schema, example: 9007199254740994n }))).toContain(
      'the example must be an integer from -9223372036854775808 to 9007199254740993',
    )
  })
})

describe('a reference', () => {
  const refusalOf = (contract: ContractDocument) => () => dereference(contract)

  it.each([
    ['to nothing', { $ref: '#/components/schemas/None' }, 'the reference #/components/schemas/None leads to nothing'],
    ['out of the document', { $ref: 'other.yaml#/Thing' }, 'the reference other.yaml#/Thing leads out of the contract'],
    [
      'to another server',
      { $ref: 'https://example.com/thing.json' },
      'the reference https://example.com/thing.json leads out of the contract',
    ],
    [
      'to what every object inherits',
      { $ref: '#/components/constructor' },
      'the reference #/components/constructor leads to nothing',
    ],
    [
      'that is not percent-encoded as it should be',
      { $ref: '#/components/%zz' },
      'the percent-encoding of the reference #/components/%zz is broken',
    ],
  ])('%s is refused', (_fault, schema, message) => {
    expect(refusalOf(withBody(schema))).toThrow(new Error(message))
  })

  it('in a circle is refused', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } }
    expect(refusalOf(withComponents({ schemas: { Node: node } }))).toThrow(
      new Error('the reference #/components/schemas/Node leads back to itself, which this service does not support'),
    )
  })
})
