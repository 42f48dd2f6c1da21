import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { type TestedContract, canonical } from 'fastify-contract-cli/suite'

// ajv-formats is CommonJS that Node gives whole as the default, while its types speak of the function inside.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default

/** Checks values by plain Ajv too, which shares no code with the server. */
export function withPlainAjv(contract: TestedContract): TestedContract {
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true })
  addFormats(ajv)
  const components = { schemas: withNumbers(contract.schemas) }
  const compiled = new Map<string, ValidateFunction>()
  return {
    ...contract,
    problemsOf: (value, schema, kind) => {
      const problems = contract.problemsOf(value, schema, kind)
      if (kind === undefined || kind === 'request') return problems
      const text = canonical(schema)
      const validate = compiled.get(text) ?? ajv.compile({ ...(JSON.parse(text) as object), components })
      compiled.set(text, validate)
      return validate(withNumbers(value)) ? problems : [...problems, ajv.errorsText(validate.errors, { dataVar: '' })]
    },
  }
}

/** Ajv knows no bigint. */
function withNumbers(value: unknown): unknown {
  return JSON.parse(canonical(value))
}
