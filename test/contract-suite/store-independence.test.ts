import { openStore } from '../../src/store/open-store.ts'
import { temporaryLocation } from '../support/start-app.ts'
import { testAcceptedRequests } from './accepted-requests.ts'
import { testExamples } from './examples.ts'
import { testSpelledIntegers } from './spelled-integers.ts'
import { testStoredPlants } from './stored-plants.ts'

// The parts of the contract suite that what keeps the plants could fail.
testExamples()
testSpelledIntegers()
testAcceptedRequests()
testStoredPlants(async () => {
  const location = await temporaryLocation()
  return () => openStore(location, { onFault: () => undefined })
})
