import { writeIntegersPage } from './bench/integers/integers-page.ts'

await writeIntegersPage()
