import type { Change } from 'fastify-contract/document'
import { escapeName, stringifyJson } from 'fastify-contract/json'

type Container = unknown[] | Record<string, unknown>

/** What makes a value of another one: undefined for one that is gone. */
type Difference = { to: unknown; members?: Record<string, Difference> } | undefined

/**
 * Finds what makes a JSON document of another one, also the order of its members. An object or a list that is gone from
 * its place, or from such a list, may have moved: a path item's parameters, for example, are those of its operations.
 *
 * @returns undefined if they are the same
 */
export function findChange(before: unknown, after: unknown): Change | undefined {
  /** The pointers of what is gone, by its JSON. */
  const gone = new Map<string, string>()
  const addGone = (value: unknown, pointer: string) => {
    if (!isContainer(value)) return
    const text = stringifyJson(value)
    if (text.length > pointer.length && !gone.has(text)) gone.set(text, pointer)
    if (!Array.isArray(value)) return
    for (const [index, member] of value.entries()) addGone(member, `${pointer}/${String(index)}`)
  }

  /** Lists what differs; nothing for equal values. */
  function differences(from: unknown, to: unknown, pointer: string): NonNullable<Difference>[] {
    if (!isContainer(from)) return from === to ? [] : [{ to }]
    const members = Object.entries(from).flatMap(([name, member]): [string, Difference][] => {
      const place = `${pointer}/${escapeName(name).replaceAll('%', '%25')}`
      if (isContainer(to) && Object.hasOwn(to, name))
        return differences(member, memberOf(to, name), place).map((found) => [name, found])
      addGone(member, place)
      return [[name, undefined]]
    })
    if (!isContainer(to) || Array.isArray(from) !== Array.isArray(to) || !keepsOrder(from, to)) return [{ to }]
    for (const [name, member] of Object.entries(to))
      if (!Object.hasOwn(from, name)) members.push([name, { to: member }])
    return members.length === 0 ? [] : [{ to, members: Object.fromEntries(members) }]
  }

  function changeOf(difference: Difference): Change {
    if (difference === undefined) return []
    const { to, members } = difference
    const given = (): Change => gone.get(stringifyJson(to)) ?? [to]
    if (members === undefined) return given()
    const changes = Object.fromEntries(Object.entries(members).map(([name, each]) => [name, changeOf(each)]))
    // Members of a list that move up differ all.
    const isLonger = Array.isArray(to) && stringifyJson(changes).length > stringifyJson(given()).length
    return isLonger ? given() : changes
  }

  const [found] = differences(before, after, '#')
  return found && changeOf(found)
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
  return Reflect.get(container, name)
}
