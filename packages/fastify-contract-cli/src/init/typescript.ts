import { printable } from 'fastify-contract/json'

/** A name of a contract as a property name. `'__proto__'` would set the prototype. */
export function propertyName(name: string): string {
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

/** A TypeScript string literal. Invisible characters are escaped, as `printable` does. */
export function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${printable(escaped)}'`
}

/** Text for the end of a line, in a comment. */
export function comment(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' ').trim().slice(0, 100))
}
