import type { ContractDocument } from '../../../src/contract/document.ts'
import type { OwnChange } from './compare-contracts.ts'

/**
 * Compares the answers to requests that match no operation, which Redocly does not see. It breaks a client when an
 * answer, one of its media types or a required header is no longer there. Their schemas are those of operations, too.
 */
export function unmatchedChanges(before: ContractDocument, after: ContractDocument): OwnChange[] {
  const [old, responses] = [before['x-unmatched-responses'] ?? {}, after['x-unmatched-responses'] ?? {}]
  const added = Object.keys(responses).filter((status) => old[status] === undefined)
  const lost = Object.entries(old).flatMap(([status, { headers = {}, content = {} }]) => {
    const path = ['x-unmatched-responses', status]
    const now = responses[status]
    const broken = (words: string): OwnChange => ({ impact: 'breaking', path, words })
    if (now === undefined) return [broken('the answer to requests that match no operation was removed')]
    const lostHeaders = Object.entries(headers)
      .filter(([name, { required }]) => required === true && now.headers?.[name]?.required !== true)
      .map(([name]) => broken(`the header ${name} is no longer required`))
    const lostTypes = Object.keys(content)
      .filter((type) => now.content?.[type] === undefined)
      .map((type) => broken(`the media type ${type} was removed`))
    return [...lostHeaders, ...lostTypes]
  })
  const words = 'the answer to requests that match no operation was added'
  return [
    ...lost,
    ...added.map((status): OwnChange => ({ impact: 'compatible', path: ['x-unmatched-responses', status], words })),
  ]
}
