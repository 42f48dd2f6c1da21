import { readOptions, usage } from './fuzz/options.ts'
import { fuzzReaders } from './fuzz/readers.ts'
import { runFuzz } from './fuzz/run-fuzz.ts'

const options = readOptions(process.argv.slice(2))
if (options === undefined) {
  console.error(usage)
  process.exitCode = 2
} else {
  console.log(`seed ${String(options.seed)}`)
  const isGood = options.readers === undefined ? await runFuzz(options) : fuzzReaders(options.readers, options.seed)
  process.exitCode = isGood ? 0 : 1
}
