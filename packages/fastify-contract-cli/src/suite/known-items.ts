import type { ContractOperation } from 'fastify-contract/document'
import { type SentRequest, type TestedContract, operationOf } from './contract.ts'
import { createdUrl, resourcesOf } from './resources.ts'
import type { ContractRequest } from './requests.ts'
import type { ReceivedResponse } from './response-checks.ts'

/** How many things of one kind are remembered. */
const most = 20

/** What a caller has created and not deleted, by the paths of the contract. */
export class KnownItems {
  readonly #contract: TestedContract
  readonly #paths = new Map<string, string[]>()

  constructor(contract: TestedContract) {
    this.#contract = contract
  }

  /** Remembers what a response has created, and forgets what it has deleted. */
  record(sent: ContractRequest, received: ReceivedResponse): void {
    if (received.status < 200 || received.status > 299) return
    const operation = operationOf(this.#contract, sent satisfies SentRequest)
    if (operation?.method === 'delete') {
      const paths = this.#paths.get(operation.path) ?? []
      this.#paths.set(
        operation.path,
        paths.filter((path) => path !== sent.url.split('?', 1).join()),
      )
    }
    for (const resource of resourcesOf(this.#contract).filter(({ create }) => create.id === operation?.id)) {
      const path = createdUrl(resource, sent, received)
      if (path === undefined) continue
      const known = this.#paths.get(resource.path) ?? []
      this.#paths.set(resource.path, [...known.slice(1 - most), path])
    }
  }

  /** Sends a request to something that exists, where one is known. @param choice which one */
  directed(operation: ContractOperation, request: ContractRequest, choice: number): ContractRequest {
    const names = operation.path.split('/')
    const templates = [...this.#paths.keys()].toSorted((a, b) => b.length - a.length)
    const template = templates.find((each) => each === names.slice(0, each.split('/').length).join('/'))
    const known = this.#paths.get(template ?? '') ?? []
    const path = known[choice % Math.max(1, known.length)]
    if (path === undefined) return request
    const [target = '', ...query] = request.url.split('?')
    const rest = target.split('/').slice(path.split('/').length)
    return { ...request, url: [[path, ...rest].join('/'), ...query].join('?') }
  }
}
