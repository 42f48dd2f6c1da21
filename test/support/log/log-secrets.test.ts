import { expect, test } from 'vitest'
import { LogSecrets } from './log-secrets.ts'

function secrets(): LogSecrets {
  const noted = new LogSecrets()
  noted.noteToken('plst_abcdefGHIJKLMNOP')
  noted.noteRequest({
    url: '/plants?limit=4815162342&x=a%20secret%20query',
    headers: { authorization: 'Bearer some-other-token-of-a-client' },
  })
  noted.noteBody('{"id":1,"name":"a \\"secret\\" body"}')
  return noted
}

test.each([
  ['{"msg":"GHIJKLMNOP"}', /repeats the token GHIJKLMNOP/],
  ['{"msg":"limit 4815162342"}', /repeats 4815162342/],
  ['{"err":{"message":"a secret query"}}', /repeats a secret query/],
  ['{"err":{"message":"no name a \\"secret\\" body"}}', /repeats a/],
  ['{"msg":"ther-token-of-a-client"}', /repeats ther-token/],
  ['{"path":"/plst_01234567890123456789"}', /looks like a token/],
  ['{"path":"/plst%5f01234567890123456789"}', /looks like a token/],
  ['{"path":"/%70lst%255F01234567890123456789"}', /looks like a token/],
  ['{"path":"/eyJhbGciOiJFUzI1NiJ9%2EeyJzdWIiOiJtZSJ9"}', /looks like a token/],
  ['{"path":"/GHIJKLMN%4f%2550"}', /repeats the token GHIJKLMNOP/],
  ['{"requestId":"GHIJKLMNOP"}', /repeats the token GHIJKLMNOP/],
  ['{"path":"/plants?a=b"}', /has a query/],
  ['{"body":"x"}', /has body/],
])('the check finds a secret in %s', (line, message) => {
  expect(() => {
    secrets().assertAbsent(['{"level":30,"msg":"fine"}', line])
  }).toThrow(message)
})

test('the check accepts a line without secrets', () => {
  secrets().assertAbsent([
    '{"level":30,"time":1,"pid":1,"hostname":"a","requestId":"b","method":"GET","operation":"listPlants",' +
      '"status":200,"milliseconds":0.5,"msg":"request answered"}',
  ])
})
