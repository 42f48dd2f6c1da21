import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import { type Contract, commonHeaders } from 'fastify-contract'
import { documentOf, operationsOf } from 'fastify-contract/document'
import { requiredSchemesOf } from 'fastify-contract/security'

/** The headers that every service reads and sends. */
const requestHeaders = ['Authorization', 'Content-Type', 'X-Request-Id']
const responseHeaders = ['X-Request-Id', 'WWW-Authenticate', 'Retry-After', 'Allow']

/** How long a browser may cache a preflight response. */
const preflightSeconds = 600

/**
 * Allows pages of other origins to use the service.
 *
 * @param app the server, before it has any hook that refuses requests, because a preflight carries no credentials
 * @param origins such as `https://plants.example`, or `*` alone for every origin
 * @param contract the contract whose methods and headers pages may use
 */
export async function registerCors(app: FastifyInstance, origins: string[], contract: Contract): Promise<void> {
  const document = documentOf(contract)
  const operations = operationsOf(document)
  const schemes = [...requiredSchemesOf(document, operations).values()]
  const keys = schemes.filter((scheme) => scheme.kind === 'apiKey' && scheme.in === 'header')
  const parameters = operations.flatMap((operation) => operation.parameters)
  const ownHeaders = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
  const responses = operations.flatMap(({ object }) => Object.values(object.responses))
  const declared = responses.flatMap(({ headers = {} }) => Object.keys(headers))
  const allowed = {
    origin: origins.includes('*') ? '*' : origins,
    methods: [...new Set(operations.map(({ method }) => method.toUpperCase()))],
    allowedHeaders: distinct([...requestHeaders, ...keys.map(({ name }) => name), ...ownHeaders]),
    exposedHeaders: distinct([...responseHeaders, ...declared.sort()]),
    maxAge: preflightSeconds,
  }
  // A preflight is answered before the hooks of the contract.
  app.addHook('onRequest', commonHeaders)
  await app.register(cors, {
    // Any other OPTIONS is not a preflight, and is handled like any request.
    delegator: ({ headers }, done) => {
      done(null, {
        ...allowed,
        preflight: [headers.origin, headers['access-control-request-method']].every((value = '') => value !== ''),
      })
    },
  })
  // The plugin sends 204 with a length of 0.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.statusCode === 204) reply.removeHeader('content-length')
    done(null, payload)
  })
}

/** Removes duplicate names of headers, ignoring case. */
function distinct(names: string[]): string[] {
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()]
}
