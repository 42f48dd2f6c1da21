/** Where a store is: a parsed `DATABASE_URL`. */
export type DatabaseLocation = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }

/**
 * Parses the URL of a store.
 *
 * @throws Error with what it must be. It may hold a password, so the message does not quote it
 */
export function readDatabaseLocation(text: string): DatabaseLocation {
  if (text.startsWith('sqlite:')) return { engine: 'sqlite', file: readPath(text.slice('sqlite:'.length)) }
  const isPostgres = /^postgres(?:ql)?:\/\//.test(text) && hostUrls(text).every((url) => URL.canParse(url))
  if (isPostgres) return { engine: 'postgres', url: text }
  throw new Error(
    'must be sqlite:PATH or postgres://USER@HOST:PORT/DATABASE, ' +
      'with the password in PGPASSWORD or in the file that PGPASSFILE names',
  )
}

/** Refuses SQLite's URIs and other names that would become files or folders of that name, or no file at all. */
function readPath(path: string): string {
  // better-sqlite3 trims the path, and opens no file for `:memory:`.
  if (path.trim() === path && !/^$|^:memory:$|^file:|^\/\/|[?\r\n]/i.test(path)) return path
  throw new Error(
    'must be sqlite:PATH with the path of a file, such as sqlite:data/plants.db or sqlite:/srv/plants.db: ' +
      'no URI (file:, //, ?), no :memory:, no line break, no white space around it',
  )
}

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
