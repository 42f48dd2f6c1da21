import { bench } from './bench/bench.ts'

process.exitCode = await bench(process.argv.slice(2))
