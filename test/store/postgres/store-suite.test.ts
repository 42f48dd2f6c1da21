import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { temporaryDatabase } from '../../support/server/postgres-database.ts'
import { storeSuite } from '../store-suite.ts'

storeSuite('PostgreSQL', {
  makeLocation: () => temporaryDatabase(),
  open: (url) =>
    openPostgresStore({
      url,
      onFault: (error) => {
        throw error
      },
    }),
})
