import { _ } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { wrapCompile, wrapKeyword } from './wrap-ajv.ts'

/** How many references a validation follows before their work is counted. Most follow fewer. */
const uncounted = 64

/** In the units of `sizeOf`: what a validation may take in any case, and for each unit of what it validates. */
const minWork = 500_000
const workOfUnit = 50

class TooMuchWork extends Error {}

/** The validation that runs now. Ajv validates in one go. */
let root: unknown
let references = 0
let work = 0
let maxWork = minWork

/** Counts what it takes to validate a value by a schema that is referred to, without the references inside of it. */
function count(value: unknown): void {
  if (++references <= uncounted) return
  work += sizeOf(value)
  if (work <= maxWork) return
  maxWork = Math.max(minWork, sizeOf(root) * workOfUnit)
  if (work > maxWork) throw new TooMuchWork()
}

/** The number of values in a value, a long text counting as several. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / 16
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce((size, [name, member]) => size + name.length / 16 + sizeOf(member), 1)
}

/**
 * Has Ajv give up a validation that takes time out of proportion to its value. Where two alternatives of a schema lead
 * back to it, each level of a value doubles the time, so that 40 levels take days. Only references lead back.
 */
export function limitWork(ajv: Ajv2020): void {
  wrapKeyword(ajv, '$ref', ({ gen, data }, generate) => {
    gen.code(_`${gen.scopeValue('func', { ref: count })}(${data})`)
    generate()
  })
  wrapCompile(ajv, (validate) => {
    const limited = (value: unknown): boolean => {
      root = value
      references = 0
      work = 0
      maxWork = minWork
      try {
        if (validate(value)) return true
        whole.errors = validate.errors ?? null
        return false
      } catch (error) {
        if (!(error instanceof TooMuchWork)) throw error
        whole.errors = [{ keyword: 'work', instancePath: '', schemaPath: '', params: {}, message }]
        return false
      } finally {
        root = undefined
      }
    }
    const whole = Object.assign(limited, { ...validate })
    return whole
  })
}

const message = 'the body takes too long to validate, because too many alternatives are in one another; nest fewer'
