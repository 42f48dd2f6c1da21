import { describe, expect, it } from 'vitest'
import { dereference, operationsOf } from '../../src/document/document.ts'
import { securityProblems, securitySchemesOf } from '../../src/document/security.ts'
import { contractOf } from '../support/contracts.ts'

const oauth2 = { type: 'oauth2', flows: {} }

/** What is wrong with a contract whose one operation has this security, by schemes that are described. */
function problemsOf(security: object[]): string[] {
  const securitySchemes = {
    bearer: { type: 'http', scheme: 'Bearer' },
    login: oauth2,
    digest: { type: 'http', scheme: 'digest' },
    client: { type: 'mutualTLS' },
    session: { type: 'apiKey', in: 'cookie', name: 'session' },
    key: { type: 'apiKey', in: 'query', name: 'key' },
    odd: null,
  }
  const document = dereference(contractOf({ security }, { components: { securitySchemes } }))
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
    token: { kind: 'bearer', ...header, scheme: 'Bearer' },
    bearer: { kind: 'basic', ...header, scheme: 'Basic' },
    key: { kind: 'apiKey', in: 'header', name: 'X-Key', scheme: 'ApiKey' },
    query: { kind: 'apiKey', in: 'query', name: 'key', scheme: 'ApiKey' },
    login: { kind: 'jwt', ...header, scheme: 'Bearer' },
    connect: { kind: 'jwt', ...header, scheme: 'Bearer' },
    session: { kind: 'apiKey', in: 'cookie', name: 'session', scheme: 'ApiKey' },
    digest: { kind: 'http', ...header, scheme: 'digest' },
  })
  expect(securitySchemesOf(contractOf({}, { components: undefined })).size).toBe(0)
})

describe('the check of a contract', () => {
  it.each([
    ['client', 'mutualTLS'],
    ['odd', 'undefined'],
  ])('refuses %s, with the remedy', (scheme, reason) => {
    expect(problemsOf([{ [scheme]: [] }])).toEqual([
      `components/securitySchemes/${scheme}: ${reason} is not supported; use http, ` +
        'an apiKey in a header, in the query or in a cookie, oauth2 or openIdConnect',
    ])
  })

  it('refuses a scope that no header can name', () => {
    expect(problemsOf([{ bearer: ['admin'] }])).toEqual([])
    expect(problemsOf([{ bearer: ['a b'] }])).toEqual([
      'operation getThing: the scope "a b" is not valid; use printable ASCII without space, " and \\',
    ])
  })
})
