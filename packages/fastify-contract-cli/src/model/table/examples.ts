import { isSchema } from 'fastify-contract/schema'
import { type ContractObject, type Keyword, type Keywords, type Mending, referenceIn, shown } from './keyword.ts'

/** The examples of a parameter, a header or content. */
export const examples: Record<'example' | 'examples', Keyword> = {
  example: {
    rejects: (_value, { examples }) => (isSchema(examples) ? besideProblem('examples') : undefined),
    ignores: referenceIn,
  },
  examples: {
    holds: { each: 'example' },
    ignores: (value) =>
      isSchema(value) && Object.values(value).every(isSchema)
        ? undefined
        : 'is not an object of examples, and is ignored; write one',
  },
}

export const example: Keywords = {
  value: { ignores: referenceIn },
  ...shown('$ref summary description'),
  ...withoutMeaningBeside('serializedValue', 'value'),
  ...withoutMeaningBeside('externalValue', 'serializedValue', 'value'),
  // Of OpenAPI 3.2: what `value` is in any other version.
  dataValue: {
    mends: readAsValue,
    ignores: (_data, { value }) => (value === undefined ? undefined : besideProblem('value')),
  },
}

/** A keyword that documents, and is removed where one of others says the same. */
function withoutMeaningBeside(name: string, ...others: string[]): Keywords {
  const mends = ({ object }: ContractObject, { warn }: Mending) => {
    const other = name in object ? others.find((each) => each in object) : undefined
    if (other === undefined) return
    Reflect.deleteProperty(object, name)
    warn({ object, key: name }, `${name}: ${besideProblem(other)}`)
  }
  return { [name]: { isShown: true, mends } }
}

function besideProblem(other: string): string {
  return `has no meaning beside ${other}; remove one of them`
}

function readAsValue({ object }: ContractObject): void {
  if (!('dataValue' in object) || 'value' in object) return
  object['value'] = object['dataValue']
  Reflect.deleteProperty(object, 'dataValue')
}
