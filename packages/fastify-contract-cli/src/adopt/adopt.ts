import type { Finding } from '../check/findings.ts'
import type { Places } from '../check/read-yaml.ts'
import { mendOperations } from './operations.ts'
import { raise } from './raise.ts'
import { mendReferences } from './references.ts'
import { declareRequired } from './required.ts'
import { removeEmpty, removeIgnored } from './remove-ignored.ts'
import { mendHeaders } from './responses.ts'
import { mendServers } from './servers.ts'
import { completeHeaders, removeNulls, widenIntegers } from './values.ts'

/** Notes what is ignored or mended. @param kind what counts as one warning; by default, the same text */
export type Warn = (at: Finding['at'], text: string, kind?: string) => void

/** A contract while it is adopted. */
export interface Adopted {
  document: Record<string, unknown>
  places: Places
  warn: Warn
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
 * @returns a warning for each part that is ignored or mended
 */
export function adopt(document: Record<string, unknown>, places: Places): Finding[] {
  const warnings: Finding[] = []
  const contract: Adopted = {
    document,
    places,
    warn: (at, text, kind = text) => warnings.push({ at, text, kind }),
  }
  removeEmpty(contract)
  mendReferences(contract)
  raise(contract)
  mendServers(contract)
  mendOperations(contract)
  mendHeaders(contract)
  removeNulls(contract)
  removeIgnored(contract)
  completeHeaders(contract)
  widenIntegers(contract)
  declareRequired(contract)
  return warnings
}
