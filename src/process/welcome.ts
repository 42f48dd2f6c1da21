/**
 * The text for the person who starts the server.
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
      `Try          curl -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' ` +
        `-d '{"id":54,"name":"Monstera deliciosa","tag":"indoor"}' ${origin}/plants`,
      `             curl -H 'Authorization: Bearer ${token}' ${origin}/plants`,
    )
  }
  return lines.join('\n')
}
