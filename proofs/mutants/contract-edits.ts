import { isDeepStrictEqual } from 'node:util'
import { type ContractDocument, operationsOf } from 'fastify-contract/document'
import { find, namesOf } from 'fastify-contract/json'

const list = '/paths/~1plants/get'
const create = '/paths/~1plants/post'
const deletePath = '/paths/~1plants~1{id}/delete'
const limit = `${list}/parameters/0`
const pathId = `${deletePath}/parameters/0`
const plant = '/components/schemas/Plant'
const newPlant = '/components/schemas/NewPlant/allOf/1'
const error = '/components/schemas/Error'
const number = `${error}/properties/error`
const headers = '/components/headers'
const responses = '/components/responses'
const text = { type: 'string' }
const height = { type: 'integer', format: 'int32' }

/** Changes of requests. Each is applied to the tests, and then to the service. */
const requestEdits: Record<string, Edit> = {
  'Plant requires tag': set(`${plant}/required`, ['name', 'tag']),
  'Plant does not require name': remove(`${plant}/required`),
  'NewPlant does not require id': remove(`${newPlant}/required`),
  'Plant has an optional property height': set(`${plant}/properties/height`, height),
  'limit is a string': set(`${limit}/schema`, text),
  'the id in the body is a string': set(`${newPlant}/properties/id`, text),
  'name is an integer': set(`${plant}/properties/name`, height),
  'limit is at least 1': set(`${limit}/schema/minimum`, 1),
  'limit is at most 2147483646': set(`${limit}/schema/maximum`, 2_147_483_646),
  'the id in the body is an int32': set(`${newPlant}/properties/id/format`, 'int32'),
  'the id in the body is above the lowest int64': set(`${newPlant}/properties/id/minimum`, -(2n ** 63n) + 1n),
  'the id in the path is below the highest int64': set(`${pathId}/schema/maximum`, 2n ** 63n - 2n),
  'name has at least 0 characters': set(`${plant}/properties/name/minLength`, 0),
  'name has at least 2 characters': set(`${plant}/properties/name/minLength`, 2),
  'name has at most 254 characters': set(`${plant}/properties/name/maxLength`, 254),
  'name has at most 256 characters': set(`${plant}/properties/name/maxLength`, 256),
  'tag may have U+0000': set(`${plant}/properties/tag/pattern`, String.raw`^[^\x01]*$`),
  'tag may not have U+FEFF': set(`${plant}/properties/tag/pattern`, String.raw`^[^\x00\uFEFF]*$`),
  'the body is optional': set(`${create}/requestBody/required`, false),
  'the body is application/vnd.api+json': rename(
    `${create}/requestBody/content/application~1json`,
    'application/vnd.api+json',
  ),
  'limit is named count': set(`${limit}/name`, 'count'),
  'limit is required': set(`${limit}/required`, true),
  'there is an optional parameter offset': set(`${list}/parameters/1`, { name: 'offset', in: 'query', schema: height }),
  'deletion is a PUT': rename(deletePath, 'put'),
  'the path of the plants is /plant': rename('/paths/~1plants', '/plant'),
  'a deletion needs no credentials': set(`${deletePath}/security`, []),
  'the credentials are basic': set('/components/securitySchemes/bearer/scheme', 'basic'),
}

/**
 * Changes for the service only: of schemas that the tests do not draw from, and of its handlers' responses.
 */
const serviceEdits: Record<string, Edit> = {
  'a creation cannot answer 409': remove(`${create}/responses/409`),
  'a 503 has X-Retry-After': all(
    set(`${headers}/X-Retry-After`, { required: true, schema: text }),
    set(`${responses}/ServiceUnavailable/headers/X-Retry-After`, { $ref: '#/components/headers/X-Retry-After' }),
  ),
  'NewPlant refuses unknown properties': set('/components/schemas/NewPlant/additionalProperties', false),
  'tag is out of a list': set(`${plant}/properties/tag/enum`, ['indoor', 'outdoor']),
}

/** Changes of responses, for the tests. */
const responseEdits: Record<string, Edit> = {
  'Error requires a property detail': all(
    set(`${error}/required`, ['error', 'message', 'detail']),
    set(`${error}/properties/detail`, text),
  ),
  'Error has an optional property detail': set(`${error}/properties/detail`, text),
  'message is optional': set(`${error}/required`, ['error']),
  'the error 40401 is gone': all(remove(`${number}/enum/6`), remove(`${number}/x-enum-varnames/6`)),
  'the errors 40100 and 40101 have changed places': all(
    set(`${number}/x-enum-varnames/3`, 'token_invalid'),
    set(`${number}/x-enum-varnames/4`, 'credentials_missing'),
  ),
  'a creation can answer 402': set(`${create}/responses/402`, { $ref: '#/components/responses/Conflict' }),
  'no operation can answer 503': set('/x-unmatched-responses/503', {
    $ref: '#/components/responses/ServiceUnavailable',
  }),
  'a creation answers 201': rename(`${create}/responses/200`, '201'),
  'a list is an object': set(`${list}/responses/200/content/application~1json/schema`, {
    type: 'object',
    properties: {},
  }),
  'a list is text/json': rename(`${list}/responses/200/content/application~1json`, 'text/json'),
  'X-Request-Id is named X-Correlation-Id': rename(`${list}/responses/200/headers/X-Request-Id`, 'X-Correlation-Id'),
  'X-Request-Id is optional': set(`${headers}/X-Request-Id/required`, false),
  'X-Request-Id has at most 129 characters': set(`${headers}/X-Request-Id/schema/pattern`, '^[A-Za-z0-9._-]{1,129}$'),
  'a 401 has no WWW-Authenticate': remove(`${responses}/Unauthorized/headers/WWW-Authenticate`),
  'Retry-After is at least 2': set(`${headers}/Retry-After/schema/minimum`, 2),
  'RateLimit-Policy is required': set(`${headers}/RateLimit-Policy/required`, true),
  'a 405 has no Allow': remove('/x-unmatched-responses/405/headers/Allow'),
  'there is an operation that gets one plant': set('/paths/~1plants~1{id}/get', {
    operationId: 'getPlant',
    responses: { '200': { description: 'The plant.' } },
  }),
  'the operation that deletes is named removePlant': set(`${deletePath}/operationId`, 'removePlant'),
}

/** Changes of examples, for the tests. */
const exampleEdits: Record<string, Edit> = {
  'a creation answers with another tag': set(
    `${create}/responses/200/content/application~1json/examples/tagged/value/tag`,
    'outdoor',
  ),
  'a creation is sent with an id that is taken': set(
    `${create}/requestBody/content/application~1json/examples/untagged/value/id`,
    54,
  ),
  'a list of at most three plants answers with two': set(`${limit}/examples/first/value`, 3),
  'WWW-Authenticate has another realm': set(`${headers}/WWW-Authenticate/example`, 'Bearer realm="plants"'),
}

/**
 * The side that uses the changed contract. `tests`: the tests require what the service does not do. `service`: the
 * service does what the tests do not allow.
 */
export type Side = 'tests' | 'service'

/** A change of the contract that the suite must detect. */
export interface Mutant {
  name: string
  side: Side
  edit: Edit
}

/** Lists the mutants: one for each change and side, and one that removes each declared status. */
export function mutantsOf(contract: ContractDocument): Mutant[] {
  const declared = operationsOf(contract).map(({ path, method, object }) => ({
    place: `/paths/${path.replaceAll('/', '~1')}/${method}/responses`,
    statuses: Object.keys(object.responses),
  }))
  const unmatched = contract['x-unmatched-responses'] ?? {}
  const statuses = [...declared, { place: '/x-unmatched-responses', statuses: Object.keys(unmatched) }].flatMap(
    ({ place, statuses: names }) =>
      names.map((status): Mutant => ({
        name: `${place.replace('/paths/', '').replaceAll('~1', '/')} has no ${status}`,
        side: 'tests',
        edit: remove(`${place}/${status}`),
      })),
  )
  return [
    ...given('tests', requestEdits),
    ...given('service', { ...requestEdits, ...serviceEdits }),
    ...given('tests', { ...responseEdits, ...exampleEdits }),
    ...statuses,
  ]
}

function given(side: Side, edits: Record<string, Edit>): Mutant[] {
  return Object.entries(edits).map(([name, edit]) => ({ name, side, edit }))
}

/** Changes a parsed contract in place. */
type Edit = (contract: object) => void

/**
 * Sets the value at a JSON pointer (RFC 6901).
 *
 * @throws Error when its parent does not exist or the value is unchanged
 */
function set(pointer: string, value: unknown): Edit {
  return (contract) => {
    const { parent, name } = placeOf(contract, pointer)
    if (isDeepStrictEqual(parent[name], value)) throw new Error(`${pointer} is that already`)
    parent[name] = structuredClone(value)
  }
}

/** Removes the value at a JSON pointer. @throws Error when there is none */
function remove(pointer: string): Edit {
  return (contract) => {
    const { parent, name } = placeOf(contract, pointer)
    if (!(name in parent)) throw new Error(`there is no ${pointer}`)
    if (Array.isArray(parent)) parent.splice(Number(name), 1)
    else Reflect.deleteProperty(parent, name)
  }
}

/** Renames the member at a JSON pointer. @throws Error when there is none */
function rename(pointer: string, name: string): Edit {
  return (contract) => {
    const place = placeOf(contract, pointer)
    const value = place.parent[place.name]
    remove(pointer)(contract)
    place.parent[name] = value
  }
}

/** Combines several changes. */
function all(...edits: Edit[]): Edit {
  return (contract) => {
    for (const edit of edits) edit(contract)
  }
}

function placeOf(contract: object, pointer: string): { parent: Record<string, unknown>; name: string } {
  // An object has string keys, and an array's indices are strings, too.
  const parent = find(contract, `#${pointer.slice(0, pointer.lastIndexOf('/'))}`) as Record<string, unknown>
  // A pointer has a name.
  return { parent, name: namesOf(pointer).at(-1)! }
}
