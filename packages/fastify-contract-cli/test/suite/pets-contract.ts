import { readContract } from '../../src/suite.ts'
import { dataOf } from '../contracts.ts'

// The file is not checked: the tests would fail on another form.
export const petsDocument = dataOf('suite/pets.yaml') as Record<string, unknown>
export const petsContract = readContract(petsDocument)
