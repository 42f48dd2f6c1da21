import { openStore } from '../../src/store/open-store.ts'
import { temporaryLocation } from '../support/server/start-app.ts'
import { testAcceptedRequests } from './parts/accepted-requests.ts'
import { testExamples } from './parts/examples.ts'
import { testSpelledIntegers } from './parts/spelled-integers.ts'
import { testStoredPlants } from './parts/stored-plants.ts'

// The parts of the contract suite that what keeps the plants could fail.
testExamples()
testSpelledIntegers()
testAcceptedRequests()
testStoredPlants(async () => {
  const location = await temporaryLocation()
  return () => openStore(location, { onFault: () => undefined })
})
