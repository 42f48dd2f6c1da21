import { notImplemented } from 'fastify-contract'
import type { Handlers, Input, Schemas } from '../generated/contract.ts'

/** The planets by id. */
export const planets = new Map<bigint, Schemas['Planet']>()
/** The images by planet. */
export const images = new Map<bigint, File>()
/** The id of the newest planet, beyond what a double holds. */
let lastId = 9007199254740992n

const json = { contentType: 'application/json' } as const
const notFound = { ...json, status: 404, body: { title: 'Not Found', status: 404n } } as const
const notRead = { ...json, status: 400, body: { title: 'Bad Request', status: 400n, detail: 'send JSON' } } as const

/** The handler of each operation. It gets the valid request, and returns a declared status with its body. */
export const handlers: Handlers = {
  getAllData: ({ query: { limit, offset } }) => {
    const page = [...planets.values()].slice(Number(offset), Number(offset + limit))
    const meta = { limit, offset, total: BigInt(planets.size), next: null }
    return { ...json, status: 200, body: { data: page, meta } }
  },
  createPlanet: (input) => {
    if (input.contentType !== 'application/json') return notRead
    const planet = keep(++lastId, input.body)
    return { ...json, status: 201, body: planet }
  },
  getPlanet: ({ path }) => {
    const planet = planets.get(path.planetId)
    return planet === undefined ? notFound : { ...json, status: 200, body: planet }
  },
  updatePlanet: (input) => {
    if (input.contentType !== 'application/json') return notRead
    const { planetId } = input.path
    if (!planets.has(planetId)) return notFound
    return { ...json, status: 200, body: keep(planetId, input.body) }
  },
  deletePlanet: ({ path }) => ({ status: planets.delete(path.planetId) ? 204 : 404 }),
  uploadImage: ({ path, body }) => {
    const planet = planets.get(path.planetId)
    if (planet === undefined) return notFound
    const { image } = body ?? {}
    if (image === undefined) return { ...notRead, body: { ...notRead.body, detail: 'send an image' } }
    images.set(path.planetId, image)
    return { ...json, status: 200, body: { fileSize: image.size, mimeType: image.type } }
  },
  getMe: notImplemented,
}

type PlanetOf<Input> = Extract<Input, { contentType: 'application/json' }> extends { body: infer Body } ? Body : never

/** Keeps a planet without the password of its creator, which no response has. */
function keep(id: bigint, { creator, ...planet }: PlanetOf<Input<'createPlanet'>>): Schemas['Planet'] {
  const { password: _, ...seen } = creator ?? {}
  const kept = { ...planet, id, ...(creator && { creator: { ...seen, email: creator.email } }) }
  planets.set(id, kept)
  return kept
}
