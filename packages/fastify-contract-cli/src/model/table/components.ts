import { escapeName } from 'fastify-contract/json'
import { isSchema } from 'fastify-contract/schema'
import { accessProblem } from './access.ts'
import { type Keyword, type Keywords, type Kind, type Mending } from './keyword.ts'

export const components: Keywords = {
  ...section('schemas', 'schema'),
  ...section('responses', 'response'),
  ...section('parameters', 'parameter'),
  ...section('examples', 'example', { isShown: true }),
  ...section('requestBodies', 'requestBody'),
  ...section('headers', 'header'),
  ...section('securitySchemes', 'securityScheme'),
  ...section('callbacks', 'callback', { isShown: true }),
  ...section('links', 'link', { isShown: true }),
  ...section('pathItems', 'pathItem', { isShown: true }),
  // They are checked where they are used, as content of requests or of responses.
  mediaTypes: {},
}

function section(name: string, kind: Kind, more: Keyword = {}): Keywords {
  return {
    [name]: {
      holds: { each: kind },
      mends: ({ object }, mending) => {
        removeUnused(object[name], name, mending)
      },
      ...more,
    },
  }
}

/** Removes members of a section that are no objects, where nothing refers to them. */
function removeUnused(members: unknown, section: string, { places: { references }, warn }: Mending): void {
  if (!isSchema(members)) return
  for (const [name, member] of Object.entries(members)) {
    // One that is about access is refused.
    if (isSchema(member) || typeof member === 'boolean' || accessProblem(name, []) !== undefined) continue
    const escaped = escapeName(name)
    if ([escaped, encodeURIComponent(escaped)].some((each) => references.has(`#/components/${section}/${each}`)))
      continue
    Reflect.deleteProperty(members, name)
    warn({ object: members, key: name }, `${section}: ${name} is not an object, and is ignored; remove it`, 'component')
  }
}
