import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { temporaryDatabase } from '../../support/server/postgres-database.ts'
import { storeSuite, throwFault } from '../store-suite.ts'

storeSuite('PostgreSQL', {
  makeLocation: () => temporaryDatabase(),
  open: (url, onFault = throwFault) => openPostgresStore({ url, onFault }),
})
