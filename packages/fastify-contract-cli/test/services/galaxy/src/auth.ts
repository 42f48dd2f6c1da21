import { hash } from 'node:crypto'
import type { Auth } from '../generated/contract.ts'

/** What the environment variables of secrets hold. */
const secrets = {
  AUTH_BEARER_AUTH: 'token',
  AUTH_BASIC_AUTH: 'password',
  AUTH_API_KEY_HEADER: 'key',
  AUTH_API_KEY_QUERY: 'key',
  AUTH_API_KEY_COOKIE: 'key',
  AUTH_O_AUTH2: 'token',
  AUTH_OPEN_ID_CONNECT: 'token',
}

/**
 * Who sends the credentials of a security scheme; undefined for nobody. Handlers get it as context.auth. Replace the
 * secrets in environment variables by your own check.
 */
export const auth = {
  bearerAuth: (text) => (isSecret(text, 'AUTH_BEARER_AUTH') ? { user: 'me' } : undefined),
  basicAuth: ({ user, password }) => (isSecret(password, 'AUTH_BASIC_AUTH') ? { user } : undefined),
  apiKeyHeader: (text) => (isSecret(text, 'AUTH_API_KEY_HEADER') ? { user: 'me' } : undefined),
  apiKeyQuery: (text) => (isSecret(text, 'AUTH_API_KEY_QUERY') ? { user: 'me' } : undefined),
  apiKeyCookie: (text) => (isSecret(text, 'AUTH_API_KEY_COOKIE') ? { user: 'me' } : undefined),
  oAuth2: (text) => (isSecret(text, 'AUTH_O_AUTH2') ? { user: 'me', scopes: 'all' as const } : undefined),
  openIdConnect: (text) => (isSecret(text, 'AUTH_OPEN_ID_CONNECT') ? { user: 'me' } : undefined),
} satisfies Auth

/** Whether a text is the secret in an environment variable. Hashes reveal nothing by the time that a comparison takes. */
function isSecret(text: string, variable: keyof typeof secrets): boolean {
  const secret = process.env[variable] ?? ''
  return secret.trim() !== '' && hash('sha256', text) === hash('sha256', secret)
}
