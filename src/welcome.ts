import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether a server at this host is reached from its own machine alone. */
export function isLoopback(host: string): boolean {
  const version = isIP(host)
  return version === 0 ? host === 'localhost' : loopback.check(host, version === 4 ? 'ipv4' : 'ipv6')
}

/**
 * What the person who starts the server is told.
 *
 * @param origin where the server listens, such as `http://127.0.0.1:3000`
 * @param token a token that was just issued and is shown this once, or undefined
 */
export function welcome(origin: string, token: string | undefined): string {
  const lines = [`Plant Store  ${origin}`, `Docs         ${origin}/docs`]
  if (token === undefined) lines.push('Token        npm run token -- issue CALLER')
  else {
    lines.push(
      `Token        ${token}`,
      '             for the caller "me"; it is shown this once',
      `Try          curl -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"id":54,"name":"Monstera deliciosa","tag":"indoor"}' ${origin}/plants`,
      `             curl -H 'Authorization: Bearer ${token}' ${origin}/plants`,
    )
  }
  return lines.join('\n')
}
