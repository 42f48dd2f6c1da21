import { beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { temporaryLocation } from '../support/start-app.ts'
import { testAcceptedRequests } from './accepted-requests.ts'
import { coverage } from './contract-client.ts'
import { testExamples } from './examples.ts'
import { testFaults } from './faults.ts'
import { testRates } from './rates.ts'
import { testRawBytes } from './raw-bytes.ts'
import { testRefusedRequests } from './refused-requests.ts'
import { isWholeRun, seed } from './run-settings.ts'
import { testSpelledIntegers } from './spelled-integers.ts'
import { testStoredPlants } from './stored-plants.ts'

beforeAll(() => {
  console.log(`seed ${String(seed)}; the same run again: npm run test:contract -- --seed ${String(seed)}`)
})

testExamples()
testSpelledIntegers()
testAcceptedRequests()
testRefusedRequests()
testFaults()
testRates()
testRawBytes()
testStoredPlants(async () => {
  const location = await temporaryLocation()
  return () => openStore(location, { onFault: () => undefined })
})

// The last of all: it judges what the others have seen. A run of a part has not seen everything.
describe.runIf(isWholeRun)('the responses of all these tests', () => {
  test('have shown all that the contract declares, and nothing that it does not', () => {
    console.log(coverage.table())
    expect(coverage.gaps()).toEqual([])
  })
})
