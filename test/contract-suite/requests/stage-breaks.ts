import { expectedOperations } from '../../support/responses/expected-contract.ts'
import type { ContractRequest } from '../contract-client.ts'
import { conflict } from '../own-requests.ts'
import { carriers } from './valid-request.ts'

/** The stages at which the contract checks a request, the first first. */
export const stages: Stage[] = ['path and method', 'credentials', 'media type and size', 'JSON', 'contract', 'store']
export type Stage = 'path and method' | 'credentials' | 'media type and size' | 'JSON' | 'contract' | 'store'

/** A fault of a request and the failure that it earns. */
interface StageBreak {
  error: string
  /** Gives a request of `carriers.body` the fault, where the store has what `conflict` needs. */
  change: (request: ContractRequest, variant: number) => ContractRequest
}

const withHeader = (request: ContractRequest, name: string, value: string | undefined): ContractRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
})
const bytesOf = ({ body = '' }: ContractRequest): Buffer => Buffer.from(body)
const withBody = (request: ContractRequest, ...parts: (string | Buffer)[]): ContractRequest => ({
  ...request,
  body: Buffer.concat(parts.map((part) => Buffer.from(part))),
})

/** Bytes that are no UTF-8: overlong, surrogates, beyond U+10FFFF, cut off, alone, and UTF-16 and Latin-1 text. */
const notUtf8 = [
  'c0af',
  'e080af',
  'eda080',
  'edbfbf',
  'f4908080',
  'f8888080',
  'e282',
  '80',
  'ff',
  'fe',
  'e9',
  'fffe6100',
].map((hex) => Buffer.from(hex, 'hex'))
const notJson = [
  ' ',
  '{',
  '}',
  '{"id":54,}',
  "{'id':54}",
  '{"id":54} {"id":55}',
  '{"id":54}x',
  '{"id":054}',
  '{"id":+54}',
  '{"id":.5}',
  '{"id":0x36}',
  '{"id":NaN}',
  '{"name":"\t"}',
  '{"a":"\\x"}',
  'nul',
  '[1',
  '"a',
  '// {}',
  '\ufeff{}',
  '{"id":54}\u0000',
  '\u00a0{}',
]
const credentials = ['Basic bWU6bWU=', 'Bearer', 'Token abc', 'Digest username="me"']
const mediaTypes = [
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=a',
  'application/jsonx',
  'application/json-patch+json',
  'application/vnd.api+json',
  'application/xml',
  'application/octet-stream',
  '*/*',
  'json',
]

/** Of a list the member that a number chooses. */
function pick<Member>(members: readonly Member[], variant: number): Member {
  return members[variant % members.length]!
}

const { path } = carriers.body
const absentMethods = ['put', 'patch', 'delete', 'options'].filter(
  (method) => !expectedOperations.some((operation) => operation.path === path && operation.method === method),
)

/** For each stage the faults that are found there. */
export const stageBreaks: Record<Stage, Record<string, StageBreak>> = {
  'path and method': {
    'a path that does not exist': {
      error: 'path_not_found',
      change: (request, variant) => ({
        ...request,
        url: pick(
          [
            '/',
            path.slice(0, -1),
            `${path}/`,
            path.toUpperCase(),
            `${path}/1/2/3`,
            `/${path}`,
            `/v1${path}`,
            `${path}%2F1`,
          ],
          variant,
        ),
      }),
    },
    'a method that the path does not have': {
      error: 'method_not_allowed',
      change: (request, variant) => ({ ...request, method: pick(absentMethods, variant).toUpperCase() }),
    },
    'percent-encoding that is broken': {
      error: 'malformed_http',
      change: (request, variant) => ({
        ...request,
        url: pick(
          ['%', '/%zz', '/%f', '/%c0%af', '%ff', '/%ed%a0%80', '?limit=%', '?%C3=1', '?limit=%zz'].map(
            (end) => `${path}${end}`,
          ),
          variant,
        ),
      }),
    },
  },
  credentials: {
    'no credentials': {
      error: 'credentials_missing',
      change: (request) => withHeader(request, 'authorization', undefined),
    },
    'other credentials': {
      error: 'credentials_missing',
      change: (request, variant) => withHeader(request, 'authorization', pick(credentials, variant)),
    },
    'an unknown token': {
      error: 'token_invalid',
      change: (request, variant) =>
        withHeader(
          request,
          'authorization',
          `Bearer ${pick([`plst_${'a'.repeat(43)}`, 'a', 'a=', '"a"', 'a,b', 'a b', '\u00e9'], variant)}`,
        ),
    },
  },
  'media type and size': {
    'another media type': {
      error: 'unsupported_media_type',
      change: (request, variant) => withHeader(request, 'content-type', pick(mediaTypes, variant)),
    },
    'no media type': {
      error: 'unsupported_media_type',
      change: (request) => withHeader(request, 'content-type', undefined),
    },
    'a coded body': {
      error: 'unsupported_media_type',
      change: (request, variant) => withHeader(request, 'content-encoding', pick(['gzip', 'br', 'x-unknown'], variant)),
    },
    'a body over the limit': {
      error: 'body_too_large',
      change: (request, variant) =>
        withBody(
          request,
          ' '.repeat(65_537 - bytesOf(request).length + pick([0, 1, 1_000_000], variant)),
          bytesOf(request),
        ),
    },
  },
  JSON: {
    'bytes that are not UTF-8': {
      error: 'malformed_body',
      change: (request, variant) => withBody(request, '{"name":"', pick(notUtf8, variant), '","id":1}'),
    },
    'text that is not JSON': {
      error: 'malformed_body',
      change: (request, variant) => ({ ...request, body: pick(notJson, variant) }),
    },
    'a document that is cut off': {
      error: 'malformed_body',
      change: (request, variant) => ({
        ...request,
        body: bytesOf(request)
          .toString()
          .trim()
          .slice(0, -1 - (variant % 3)),
      }),
    },
    'a property that is named twice': {
      error: 'malformed_body',
      change: (request, variant) => ({
        ...request,
        body: pick(
          [
            '{"id":1,"name":"a","id":1}',
            '{"id":1,"name":"a","\\u006eame":"a"}',
            '{"id":1,"name":"a","x":{"y":1,"y":2}}',
            '{"id":1,"name":"a","":0,"":0}',
          ],
          variant,
        ),
      }),
    },
  },
  contract: {
    'a value that is not allowed': {
      error: 'invalid_request',
      change: (request, variant) => ({
        ...request,
        body: pick(['[]', 'null', '54', '"a"', 'true'], variant),
      }),
    },
  },
  store: {
    'a conflict with the data in the store': {
      error: conflict.error,
      change: (request) => ({ ...request, body: conflict.body }),
    },
  },
}
