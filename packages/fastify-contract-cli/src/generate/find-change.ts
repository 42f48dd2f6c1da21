import type { Change } from 'fastify-contract/document'
import { escapeName, stringifyJson } from 'fastify-contract/json'

type Container = unknown[] | Record<string, unknown>

/**
 * Finds what makes a JSON document of another one, also the order of its members.
 *
 * @returns undefined if they are the same
 */
export function findChange(before: unknown, after: unknown): Change | undefined {
  const moved = findRemoved(before, after)
  const given = (value: unknown): Change => moved.get(stringifyJson(value)) ?? [value]

  function change(from: unknown, to: unknown): Change | undefined {
    if (!isContainer(from) || !isContainer(to)) return from === to ? undefined : given(to)
    if (Array.isArray(from) !== Array.isArray(to) || !keepsOrder(from, to)) return given(to)
    const kept = Object.entries(from).map(([name, member]): [string, Change | undefined] => {
      return [name, Object.hasOwn(to, name) ? change(member, memberOf(to, name)) : []]
    })
    const added = Object.entries(to).filter(([name]) => !Object.hasOwn(from, name))
    const all = [...kept, ...added.map(([name, member]) => [name, given(member)] as const)]
    const found = all.filter(([, each]) => each !== undefined)
    if (found.length === 0) return undefined
    // Each of them is defined.
    const changes = Object.fromEntries(found) as Record<string, Change>
    // Members of a list that move up differ all.
    const isLonger = Array.isArray(to) && stringifyJson(changes).length > stringifyJson(given(to)).length
    return isLonger ? given(to) : changes
  }
  return change(before, after)
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

/** Whether the members of the second are those of the first that it has, in their order, and then others. */
function keepsOrder(from: Container, to: Container): boolean {
  const kept = Object.keys(from).filter((name) => Object.hasOwn(to, name))
  return Object.keys(to).every(
    (name, index) => name === kept[index] || (index >= kept.length && !Object.hasOwn(from, name)),
  )
}

function memberOf(container: Container, name: string): unknown {
  return (container as Record<string, unknown>)[name]
}

/**
 * The objects and lists that are gone from their places, and the members of such lists: they may have moved. A path item's
 * parameters, for example, are those of its operations.
 *
 * @returns their pointers, by their JSON
 */
function findRemoved(before: unknown, after: unknown): Map<string, string> {
  const removed = new Map<string, string>()
  const add = (value: unknown, pointer: string) => {
    if (!isContainer(value)) return
    const text = stringifyJson(value)
    if (text.length > pointer.length && !removed.has(text)) removed.set(text, pointer)
    if (Array.isArray(value)) for (const [index, member] of value.entries()) add(member, `${pointer}/${String(index)}`)
  }
  function visit(from: Container, to: unknown, pointer: string): void {
    for (const [name, member] of Object.entries(from)) {
      const place = `${pointer}/${escapeName(name).replaceAll('%', '%25')}`
      if (!isContainer(to) || !Object.hasOwn(to, name)) add(member, place)
      else if (isContainer(member)) visit(member, memberOf(to, name), place)
    }
  }
  if (isContainer(before)) visit(before, after, '#')
  return removed
}
