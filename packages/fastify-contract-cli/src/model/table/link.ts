import { type Keywords, type OperationName, ignore, reject, shown } from '../rules/keyword.ts'

export const link: Keywords = {
  ...shown('$ref parameters requestBody description server'),
  operationId: target((id) => ({ id })),
  operationRef: target((reference) => {
    // An operation of another contract is not checked.
    return String(reference).startsWith('#') ? { reference: String(reference) } : undefined
  }),
}

/** A link to an operation that the contract does not have is a mistake. One that is not served is only lost. */
function target(nameOf: (value: unknown) => OperationName | undefined): Keywords[string] {
  return {
    isShown: true,
    rule: (value, _link, { findOperation }) => {
      const by = nameOf(value)
      const found = by === undefined ? 'served' : findOperation(by)
      const leads = `the link leads to ${String(value)}, which is not`
      if (found === undefined)
        return reject(`${leads} an operation of the contract; correct the name, or remove the link`)
      return found === 'served'
        ? undefined
        : ignore(`${leads} exactly one operation that is served, and is ignored; correct the name`)
    },
  }
}
