import { describe, expect, test } from 'vitest'
import { handlers as projectHandlers } from '../../src/handlers.ts'
import { expectFailure } from '../support/responses/expect-failure.ts'
import { startApp } from '../support/server/start-app.ts'

describe('a handler whose reply breaks the contract', () => {
  test.each([
    ['an undeclared status', () => ({ status: 418 }), 'createPlant was to answer 418: the status is not declared'],
    [
      'a column that is nobody else’s business',
      () => ({ status: 200, body: { name: 'a', caller: 'secret' } }),
      'createPlant was to answer 200: body/caller is not a property here',
    ],
    [
      'a value of another type',
      () => ({ status: 200, body: { name: 1 } }),
      'createPlant was to answer 200: body/name must be string',
    ],
  ])('is answered 500, logged and counted: %s', async (_name, createPlant, problem) => {
    const broken: string[] = []
    // What the compiler would refuse is what is tested.
    const handlers = {
      ...projectHandlers,
      createPlant,
    } as unknown as NonNullable<Parameters<typeof startApp>[0]>['handlers']
    const { send, logLines } = await startApp({
      ...(handlers === undefined ? {} : { handlers }),
      observer: { answered: () => undefined, contractBroken: (id) => void broken.push(id) },
    })
    const response = await send({ method: 'POST', url: '/plants', body: { id: 1, name: 'a' } })
    expectFailure(response, 'internal')
    expect(response.text).not.toContain('secret')
    expect(broken).toEqual(['createPlant'])
    expect(logLines.join()).toContain(problem)
    expect(logLines.join()).not.toContain('secret')
  })
})
