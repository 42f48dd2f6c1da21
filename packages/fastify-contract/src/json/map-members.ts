/**
 * Copies a list or an object with each member changed; anything else is returned. A function that calls it on what it does
 * not change itself copies a whole tree with one change.
 *
 * @param change receives a member, and its name or its index as text
 */
export function mapMembers(value: unknown, change: (member: unknown, name: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((member: unknown, index) => change(member, String(index)))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, name)]))
}
