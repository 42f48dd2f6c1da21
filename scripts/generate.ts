import { parseArgs } from 'node:util'
import { generate } from './generate/generate.ts'

const usage = `Usage: npm run generate                  writes generated/ from openapi.yaml
       npm run generate -- --check       writes nothing; fails and names each file of generated/ that does not match
       npm run generate -- --scaffold    also writes a handler for each operation that has none`

const mode = readMode()
if (mode === undefined) process.exitCode = 1
else {
  const { ok, lines } = await generate('.', mode)
  for (const line of lines) (ok ? console.log : console.error)(line)
  process.exitCode = ok ? 0 : 1
}

function readMode() {
  try {
    const { values } = parseArgs({ options: { check: { type: 'boolean' }, scaffold: { type: 'boolean' } } })
    if (values.check === true && values.scaffold === true) throw new Error('--check writes nothing, and --scaffold writes handlers')
    return values.check === true ? 'check' : values.scaffold === true ? 'scaffold' : 'write'
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
    return undefined
  }
}
