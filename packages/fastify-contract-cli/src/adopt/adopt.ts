import type { Finding } from '../check/findings.ts'
import type { Places } from '../check/read-yaml.ts'
import { applyKeywords, removeEmpty } from './apply-keywords.ts'
import { mendOperations } from './operations.ts'
import { raise } from './raise.ts'
import { checkReferences, mendReferences } from './references.ts'
import { declareRequired } from './required.ts'
import { mendHeaders, mendMediaTypes } from './responses.ts'
import { mendServers } from './servers.ts'
import { completeHeaders, removeNulls, widenIntegers } from './values.ts'

/** A contract while it is adopted. */
export interface Adopted {
  document: Record<string, unknown>
  places: Places
  /** Notes what is ignored or mended. @param kind what counts as one warning; by default, the same text */
  warn: (at: Finding['at'], text: string, kind?: string) => void
  /** Notes why the contract is refused. */
  reject: (at: Finding['at'], text: string) => void
  /** Runs a step that may fail where the structure is broken, and returns its result. */
  attempt: <Result>(step: () => Result) => Result | undefined
}

/** What became of a contract. */
export interface Adoption {
  /** What is ignored or mended. */
  warnings: Finding[]
  /** What cannot be served. */
  problems: Finding[]
  /** Why steps failed. If the structure is sound, they are at fault. */
  failures: unknown[]
}

/** Whether a document says that it is OpenAPI 3.0, 3.1 or 3.2. YAML reads `3.0` without quotes as 3. */
export function isSupported({ openapi }: Record<string, unknown>): boolean {
  return /^3(?:\.[012](?:\.\d+.*)?)?$/.test(String(openapi))
}

/**
 * Turns a contract into the form that the server reads: OpenAPI 3.1, in which every operation has a name, every reference
 * leads to a component, and every keyword is enforced or documentation. Changes the document in place, so that its objects
 * keep their places.
 *
 * @param document a bundled contract of a supported version, with an unchecked structure
 */
export function adopt(document: Record<string, unknown>, places: Places): Adoption {
  const adoption: Adoption = { warnings: [], problems: [], failures: [] }
  const contract: Adopted = {
    document,
    places,
    warn: (at, text, kind = text) => adoption.warnings.push({ at, text, kind }),
    reject: (at, text) => adoption.problems.push({ at, text }),
    attempt: (step) => {
      try {
        return step()
      } catch (error) {
        if (error instanceof RangeError) throw error
        adoption.failures.push(error)
        return undefined
      }
    },
  }
  removeEmpty(contract)
  mendReferences(contract)
  raise(contract)
  mendServers(contract)
  mendOperations(contract)
  mendHeaders(contract)
  mendMediaTypes(contract)
  removeNulls(contract)
  widenIntegers(contract)
  applyKeywords(contract)
  checkReferences(contract)
  completeHeaders(contract)
  declareRequired(contract)
  return adoption
}
