import { type ContractDocument, operationsOf } from '../../../src/contract/document.ts'
import { exampleEdits, requestEdits, responseEdits, serviceEdits } from './contract-edits.ts'
import { type Edit, remove } from './edit.ts'

/**
 * The side that uses the changed contract. `tests`: the tests demand what the service does not do. `service`: the
 * service does what the tests do not allow. Of the responses the service knows only what it validates its own by.
 */
export type Side = 'tests' | 'service'

/** A change of the contract that must make the suite fail. */
export interface Mutant {
  name: string
  side: Side
  edit: Edit
}

/** Lists the mutants: one for each change and side, and one for each declared status, which it removes. */
export function mutantsOf(contract: ContractDocument): Mutant[] {
  const declared = operationsOf(contract).map(({ path, method, object }) => ({
    place: `/paths/${path.replaceAll('/', '~1')}/${method}/responses`,
    statuses: Object.keys(object.responses),
  }))
  const unmatched = contract['x-unmatched-responses'] ?? {}
  const statuses = [...declared, { place: '/x-unmatched-responses', statuses: Object.keys(unmatched) }].flatMap(
    ({ place, statuses: names }) =>
      names.map((status): Mutant => ({
        name: `${place.replace('/paths/', '').replaceAll('~1', '/')} has no ${status}`,
        side: 'tests',
        edit: remove(`${place}/${status}`),
      })),
  )
  return [
    ...given('tests', requestEdits),
    ...given('service', { ...requestEdits, ...serviceEdits }),
    ...given('tests', { ...responseEdits, ...exampleEdits }),
    ...statuses,
  ]
}

function given(side: Side, edits: Record<string, Edit>): Mutant[] {
  return Object.entries(edits).map(([name, edit]) => ({ name, side, edit }))
}
