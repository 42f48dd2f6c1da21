import { hash } from 'node:crypto'
import type { Auth } from '../generated/contract.ts'

/** What the environment variables of secrets hold. */
const secrets = {
  BEARER_AUTH: 'token',
  BASIC_AUTH: 'password',
  API_KEY_HEADER: 'key',
  API_KEY_QUERY: 'key',
  API_KEY_COOKIE: 'key',
  O_AUTH2: 'token',
  OPEN_ID_CONNECT: 'token',
}

/**
 * Who sends the credentials of a security scheme; undefined for nobody. Handlers get it as context.auth. Replace the
 * secrets in environment variables by your own check.
 */
export const auth = {
  bearerAuth: (text) => (isSecret(text, 'BEARER_AUTH') ? { user: 'me' } : undefined),
  basicAuth: ({ user, password }) => (isSecret(password, 'BASIC_AUTH') ? { user } : undefined),
  apiKeyHeader: (text) => (isSecret(text, 'API_KEY_HEADER') ? { user: 'me' } : undefined),
  apiKeyQuery: (text) => (isSecret(text, 'API_KEY_QUERY') ? { user: 'me' } : undefined),
  apiKeyCookie: (text) => (isSecret(text, 'API_KEY_COOKIE') ? { user: 'me' } : undefined),
  oAuth2: (text) => (isSecret(text, 'O_AUTH2') ? { user: 'me', scopes: 'all' as const } : undefined),
  openIdConnect: (text) => (isSecret(text, 'OPEN_ID_CONNECT') ? { user: 'me' } : undefined),
} satisfies Auth

/** Whether a text is the secret in an environment variable. Hashes reveal nothing by the time that a comparison takes. */
function isSecret(text: string, variable: keyof typeof secrets): boolean {
  const secret = process.env[variable] ?? ''
  return secret !== '' && hash('sha256', text) === hash('sha256', secret)
}

/** A warning for each secret that is not set. */
export function unsetSecrets(): string[] {
  const unset = Object.entries(secrets).filter(([variable]) => (process.env[variable] ?? '') === '')
  return unset.map(([variable, what]) => `${variable} is not set: every ${what} is refused`)
}
