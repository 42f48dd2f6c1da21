import { hash } from 'node:crypto'
import type { Auth } from '../generated/contract.ts'

/**
 * Who sends the credentials of a security scheme; undefined for nobody. Handlers get it as context.auth. Replace the
 * secrets in environment variables by your own check.
 */
export const auth = {
  basket_token: (text) => (isSecret(text, 'AUTH_BASKET_TOKEN') ? { user: 'me' } : undefined),
  service_token: (text) => (isSecret(text, 'AUTH_SERVICE_TOKEN') ? { user: 'me' } : undefined),
} satisfies Auth

/** Whether a text is the secret in an environment variable. Hashes reveal nothing by the time that a comparison takes. */
function isSecret(text: string, variable: string): boolean {
  const secret = process.env[variable]
  return secret !== undefined && hash('sha256', text) === hash('sha256', secret)
}
