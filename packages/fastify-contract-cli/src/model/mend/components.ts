import { escapeName, isObject } from 'fastify-contract/json'
import { accessProblem } from '../rules/access.ts'
import { keywords } from '../table/table.ts'
import type { Mending } from './mending.ts'
import type { ContractObject } from './visit.ts'

/** Removes members of `components` that are no objects, where nothing refers to them. */
export function removeUnused({ object }: ContractObject, mending: Mending): void {
  for (const section of Object.keys(keywords.components)) removeFrom(object[section], section, mending)
}

function removeFrom(members: unknown, section: string, { reading: { references }, remove }: Mending): void {
  if (section === 'mediaTypes' || !isObject(members)) return
  for (const [name, member] of Object.entries(members)) {
    // One that is about access is refused.
    if (isObject(member) || typeof member === 'boolean' || accessProblem(name, []) !== undefined) continue
    const escaped = escapeName(name)
    if ([escaped, encodeURIComponent(escaped)].some((each) => references.has(`#/components/${section}/${each}`)))
      continue
    remove(members, name, `${section}: ${name} is not an object, and is ignored; remove it`, 'component')
  }
}
