import { type KeyObject, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebToken, audience, issuer, webTokens } from '../requests/configured.ts'

/** An identity provider: its keys at a URL, and the tokens that it signs. */
export interface KeyServer {
  /** How the service is told of it. */
  environment: Readonly<Record<string, string>>
  /** What stands for each JSON Web Token of the requests, and the token. */
  tokens: readonly (readonly [string, string])[]
  /** From now on it answers with its keys; before, with an error. */
  open: () => void
  close: () => Promise<void>
}

/** The private key of each name that a token may give as its `kid`. */
function makeKeys(): Record<string, KeyObject> {
  return {
    rsa: generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey,
    ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    ed: generateKeyPairSync('ed25519').privateKey,
    weak: generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey,
    other: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  }
}

/** Starts the identity provider, which has no keys to give yet. */
export async function startKeyServer(): Promise<KeyServer> {
  const keys = makeKeys()
  const published = ['rsa', 'ec', 'ed', 'weak'].map((kid) => ({ ...publicJwk(keys[kid]!), kid }))
  const twice = [1, 2].map(() => ({ ...publicJwk(keys['ec']!), kid: 'twice' }))
  const set = JSON.stringify({ keys: [...published, ...twice, { kty: 'RSA', kid: 'broken' }, null, 'x'] })
  let isOpen = false
  const server = createServer((_request, response) => {
    response.writeHead(isOpen ? 200 : 500).end(set)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo
  return {
    environment: {
      AUTH_JWKS_URL: `http://127.0.0.1:${String(port)}/jwks`,
      AUTH_ISSUER: issuer,
      AUTH_AUDIENCE: audience,
    },
    tokens: webTokens.map((token, index) => [`$JWT_${String(index)}`, encode(token, keys)]),
    open: () => {
      isOpen = true
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function publicJwk(key: KeyObject): object {
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...open } = key.export({ format: 'jwk' })
  return open
}

/** Encodes and signs a token as RFC 7515, section 7.1, describes. */
function encode({ header, claims, by, change }: WebToken, keys: Record<string, KeyObject>): string {
  const part = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  const seconds = Math.floor(Date.now() / 1_000)
  const signed = `${part(header)}.${part(claims(seconds))}`
  const token = `${signed}.${signature(Buffer.from(signed), by, keys).toString('base64url')}`
  return change === undefined ? token : change(token)
}

function signature(signed: Buffer, by: WebToken['by'], keys: Record<string, KeyObject>): Buffer {
  switch (by) {
    case 'nobody':
      return Buffer.alloc(0)
    case 'hmac':
      // The public key, which everybody knows, as the secret of a symmetric algorithm.
      return createHmac('sha256', JSON.stringify(publicJwk(keys['rsa']!)))
        .update(signed)
        .digest()
    case 'ed':
      return sign(null, signed, keys[by]!)
    case 'rsa':
    case 'weak':
      return sign('sha256', signed, keys[by]!)
    case 'ec':
    case 'other':
      return sign('sha256', signed, { key: keys[by]!, dsaEncoding: 'ieee-p1363' })
  }
}
