import { stringifyJson } from 'fastify-contract/json'

const width = 120

/** Writes a JSON value, bigints as digits, in lines for reviews: an object or a list that fits in one takes one. */
export function printJson(value: unknown): string {
  return `${printed(value, '', 0)}\n`
}

/** @param before the number of characters before the value in its line, beyond the indent */
function printed(value: unknown, indent: string, before: number): string {
  if (typeof value !== 'object' || value === null) return stringifyJson(value)
  const inner = `${indent} `
  const [open, close, members] = Array.isArray(value)
    ? ['[', ']', value.map((member) => printed(member, inner, 0))]
    : ['{', '}', Object.entries(value).map(([name, member]) => printedMember(name, member, inner))]
  const separators = 2 * Math.max(0, members.length - 1)
  const length = members.reduce((sum, member) => sum + member.length, open.length + separators + close.length)
  // The line of the document would be a copy of all of it.
  const fits = indent.length + before + length <= width && !members.some((member) => member.includes('\n'))
  if (fits) return `${open}${members.join(', ')}${close}`
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`
}

function printedMember(name: string, value: unknown, indent: string): string {
  const key = `${JSON.stringify(name)}: `
  return key + printed(value, indent, key.length)
}
