import { generate } from './generate/generate.ts'

process.exitCode = await generate(process.argv.slice(2))
