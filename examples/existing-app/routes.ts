import type { FastifyInstance } from 'fastify'
import { pets, userOf } from './pets.ts'

/** The routes of the app as they were before the contract. Each moves to `app.ts` when its turn comes. */
export function routes(app: FastifyInstance, _options: object, done: () => void): void {
  app.addHook('onRequest', (request, reply, next) => {
    if (userOf(request.cookies['session']) === undefined)
      void reply.code(401).send({ statusCode: 401, message: 'sign in' })
    else next()
  })

  app.get('/pets', () => [...pets.values()].map(({ id, name }) => ({ id: Number(id), name })))

  app.delete<{ Params: { petId: string } }>('/pets/:petId', (request, reply) => {
    pets.delete(BigInt(request.params.petId))
    return reply.code(204).send()
  })

  app.put('/pets/:petId/photo', async (request) => {
    const photo = await request.file()
    return { bytes: (await photo?.toBuffer())?.length ?? 0 }
  })

  done()
}
