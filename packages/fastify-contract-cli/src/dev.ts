/** `node --import fastify-contract-cli/dev`: the mock of an operation answers where its handler is `notImplemented`. */
import { type StandIn, standInForNotImplemented } from 'fastify-contract'
import { printable } from 'fastify-contract/json'

const maxNames = 10

const mocked: StandIn = async (contract, ids) => {
  const more = ids.length > maxNames ? ` and ${String(ids.length - maxNames)} more` : ''
  const names = ids.slice(0, maxNames).join(', ')
  // Standard output is the service's own.
  console.error(printable(`the mock answers ${names}${more}, because the handler is notImplemented`))
  // A service without such handlers starts sooner.
  const { mockHandlers } = await import('./mock/mock.ts')
  return { handlers: mockHandlers(contract) }
}
standInForNotImplemented(mocked)
