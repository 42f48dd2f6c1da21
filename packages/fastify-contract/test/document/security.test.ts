import { expect, it } from 'vitest'
import { securitySchemesOf } from '../../src/document/security.ts'
import { contractOf } from '../support/contracts.ts'

const oauth2 = { type: 'oauth2', flows: {} }

it('schemes are recognized by their type, whatever their names', () => {
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
