/**
 * Splits libpq's form of a URL with several hosts, `postgres://USER@HOST:PORT,HOST:PORT/DATABASE`
 * (postgresql.org/docs/18/libpq-connect.html).
 *
 * @returns the URL of each host
 */
export function hostUrls(url: string): [string, ...string[]] {
  const [, before = '', hosts = '', after = ''] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  const [first = '', ...others] = hosts.split(',').map((host) => `${before}${host}${after}`)
  return [first, ...others]
}
