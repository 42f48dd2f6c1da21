import { describe, expect, it } from 'vitest'
import { dereference, operationsOf } from '../../src/document/document.ts'
import { callerKindOf, securityProblems, securitySchemesOf } from '../../src/document/security.ts'
import { contractOf } from '../support/contracts.ts'

const oauth2 = { type: 'oauth2', flows: {} }

/** What is wrong with a contract whose one operation has this security, by schemes that are described. */
function problemsOf(security: object[], operation: object = {}): string[] {
  const securitySchemes = {
    bearer: { type: 'http', scheme: 'Bearer' },
    login: oauth2,
    digest: { type: 'http', scheme: 'digest' },
    client: { type: 'mutualTLS' },
    session: { type: 'apiKey', in: 'cookie', name: 'session' },
    key: { type: 'apiKey', in: 'query', name: 'key' },
    odd: null,
  }
  const document = dereference(contractOf({ security, ...operation }, { components: { securitySchemes } }))
  return securityProblems(document, operationsOf(document)).map(({ text }) => text)
}

it('the schemes that are verified are known by their type, whatever the contract calls them', () => {
  const securitySchemes = {
    token: { type: 'http', scheme: 'Bearer' },
    bearer: { type: 'http', scheme: 'basic' },
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    query: { type: 'apiKey', in: 'query', name: 'key' },
    login: oauth2,
    connect: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
    session: { type: 'apiKey', in: 'cookie', name: 'session' },
    digest: { type: 'http', scheme: 'digest' },
    odd: null,
  }
  const header = { in: 'header', name: 'Authorization' }
  expect(Object.fromEntries(securitySchemesOf(contractOf({}, { components: { securitySchemes } })))).toEqual({
    token: { kind: 'bearer', ...header },
    bearer: { kind: 'basic', ...header },
    key: { kind: 'apiKey', in: 'header', name: 'X-Key' },
    query: { kind: 'apiKey', in: 'query', name: 'key' },
    login: { kind: 'jwt', ...header },
    connect: { kind: 'jwt', ...header },
  })
  expect(securitySchemesOf(contractOf({}, { components: undefined })).size).toBe(0)
})

it.each([
  [[], 'none'],
  [[{}], 'none'],
  [[{ bearer: [] }, {}], 'optional'],
  [[{}, { bearer: [] }], 'optional'],
  [[{ bearer: [] }, { basic: [] }], 'required'],
] as const)('an operation with security %j has a caller: %s', (security, kind) => {
  // The type of a requirement has lists that may change.
  expect(callerKindOf(structuredClone(security) as unknown as Record<string, string[]>[])).toBe(kind)
})

describe('the check of a contract', () => {
  it.each([
    ['digest', 'http digest'],
    ['client', 'mutualTLS'],
    ['session', 'an apiKey in a cookie'],
    ['odd', 'undefined'],
  ])('refuses %s, with the remedy', (scheme, reason) => {
    expect(problemsOf([{ [scheme]: [] }])).toEqual([
      `components/securitySchemes/${scheme}: ${reason} is not supported; use http bearer, ` +
        'http basic, an apiKey in a header or in the query, oauth2 or openIdConnect',
    ])
  })

  it('refuses a parameter that is the API key of the same operation', () => {
    const parameters = [{ name: 'key', in: 'query', schema: { type: 'string' } }]
    expect(problemsOf([{ key: [] }], { parameters })).toEqual([
      'operation getThing: the query parameter key is its API key; remove the parameter',
    ])
    expect(problemsOf([{ bearer: [] }], { parameters })).toEqual([])
  })

  it('refuses a scope that no header can name', () => {
    expect(problemsOf([{ bearer: ['admin'] }])).toEqual([])
    expect(problemsOf([{ bearer: ['a b'] }])).toEqual([
      'operation getThing: the scope "a b" is not valid; use printable ASCII without space, " and \\',
    ])
  })
})
