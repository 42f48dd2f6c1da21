import type { FastifyRequest } from 'fastify'
import { type Contract, UnservableContract, documentOf } from '../document/contract.ts'
import { operationsOf } from '../document/document.ts'
import { type SecurityScheme, requiredSchemesOf } from '../document/security.ts'
import type { BasicCredentials, ContractTypes, CredentialsOf, Known } from '../types/handler-types.ts'

type Verifier<Credentials, Found> = (
  credentials: Credentials,
  request: FastifyRequest,
) => Promise<Found | null | undefined>

/** A verifier for each kind of security scheme, or the remedy that is printed if a contract needs it. */
export type VerifiersByKind<Found extends Known> = {
  [Kind in SecurityScheme['kind']]: Verifier<Kind extends 'basic' ? BasicCredentials : string, Found> | string
}

/** The verifiers by the names of their schemes. */
export type AuthByKind<Types extends ContractTypes, Found extends Known> = {
  [Name in keyof Types['schemes']]: Verifier<CredentialsOf<Types['schemes'][Name]>, Found>
}

/**
 * Makes `auth` for every security scheme of a contract, whatever their names.
 *
 * @throws UnservableContract if the contract has a scheme of a kind without a verifier
 */
export function authByKind<const Types extends ContractTypes, Found extends Known>(
  contract: Contract<Types>,
  verifiers: VerifiersByKind<Found>,
): AuthByKind<Types, Found> {
  const document = documentOf(contract)
  const schemes = requiredSchemesOf(document, operationsOf(document))
  const auth = [...schemes].map(([name, { kind }]) => {
    const verify = verifiers[kind]
    if (typeof verify === 'string') throw new UnservableContract(`components/securitySchemes/${name}: ${verify}`)
    return [name, verify] as const
  })
  const byName: unknown = Object.fromEntries(auth)
  // One for each scheme, of its kind.
  return byName as AuthByKind<Types, Found>
}
