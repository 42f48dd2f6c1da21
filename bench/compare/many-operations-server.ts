import { pino } from 'pino'
import { type AppOptions, buildApp } from '../../src/app.ts'
import {
  contractMethods,
  type ContractDocument,
  type PathItem,
} from '../../packages/fastify-contract/src/document/document.ts'
import { loadContract } from '../../packages/fastify-contract/src/document/load-contract.ts'
import { handlers as ownHandlers } from '../../src/handlers.ts'
import { openStore } from '../../src/store/open-store.ts'
import { printOrigin } from '../peers/peer.ts'

/**
 * The project's server with a contract of `OPERATIONS` operations: its own three, then copies of them with other paths
 * and names. The contract and the handlers are the project's.
 */
const contract = await loadContract(`${import.meta.dirname}/../..`)
const file = (process.env['DATABASE_URL'] ?? '').replace('sqlite:', '')
const store = await openStore(
  { engine: 'sqlite', file },
  {
    onFault: (error) => {
      console.error(error.message)
    },
  },
)
const { document, handlers } = multiplied(contract.document, ownHandlers, Number(process.env['OPERATIONS']))
const log = pino({ level: 'info' }, pino.destination(2))
const app = await buildApp({ contract: { ...contract, document }, handlers, store, log, rateLimit: undefined })
await app.listen({ host: '127.0.0.1', port: 0 })
printOrigin(app.server)

function multiplied(
  document: ContractDocument,
  handlers: AppOptions['handlers'],
  count: number,
): Pick<AppOptions, 'handlers'> & { document: ContractDocument } {
  const paths: Record<string, PathItem> = {}
  const copied: Record<string, unknown> = {}
  let operations = 0
  for (let round = 0; operations < count; round++) {
    const suffix = round === 0 ? '' : `-${String(round)}`
    for (const [path, item] of Object.entries(document.paths ?? {})) {
      const copy: PathItem = {}
      for (const method of contractMethods) {
        const operation = item[method]
        if (operation === undefined || operations === count) continue
        const operationId = `${operation.operationId}${suffix}`
        copy[method] = { ...operation, operationId }
        copied[operationId] = handlers[operation.operationId as keyof typeof handlers]
        operations++
      }
      if (Object.keys(copy).length > 0) paths[path.replace('/plants', `/plants${suffix}`)] = copy
    }
  }
  // The types of the contract have no names for the copies.
  return { document: { ...document, paths }, handlers: copied }
}
