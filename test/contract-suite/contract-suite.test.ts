import { beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import { temporaryLocation } from '../support/server/start-app.ts'
import { testAcceptedRequests } from './parts/accepted-requests.ts'
import { coverage } from './contract-client.ts'
import { testExamples } from './parts/examples.ts'
import { testFaults } from './parts/faults.ts'
import { testOwnRequests } from './parts/own-requests.ts'
import { testRawBytes } from './parts/raw-bytes.ts'
import { testRefusedRequests } from './parts/refused-requests.ts'
import { isWholeRun, seed } from './run-settings.ts'
import { testSpelledIntegers } from './parts/spelled-integers.ts'
import { testStoredPlants } from './parts/stored-plants.ts'
import { testTransport } from './parts/transport.ts'

const remedy =
  'a gap is closed by a request that is answered so: add it to ownRequests in test/contract-suite/own-requests.ts'

beforeAll(() => {
  console.log(`seed ${String(seed)}; the same run again: npm run test:contract -- --seed ${String(seed)}`)
})

testExamples()
testSpelledIntegers()
testAcceptedRequests()
testRefusedRequests()
testFaults()
testOwnRequests()
testTransport()
testRawBytes()
testStoredPlants(async () => {
  const location = await temporaryLocation()
  return () => openStore(location, { onFault: () => undefined })
})

// The last of all: it checks what the others have seen. A run of a part has not seen everything.
describe.runIf(isWholeRun)('the responses of all these tests', () => {
  test('have shown all that the contract declares, and nothing that it does not', () => {
    console.log(coverage.table())
    expect(coverage.gaps(), remedy).toEqual([])
  })
})
