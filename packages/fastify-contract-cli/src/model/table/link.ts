import { type KeywordContext, type Keywords, type OperationName, shown } from './keyword.ts'

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
  const find = (value: unknown, { findOperation }: KeywordContext) => {
    const by = nameOf(value)
    return by === undefined ? 'served' : findOperation(by)
  }
  const leads = (value: unknown) => `the link leads to ${String(value)}, which is not`
  return {
    isShown: true,
    ignores: (value, _link, context) =>
      find(value, context) === 'written'
        ? `${leads(value)} exactly one operation that is served, and is ignored; correct the name`
        : undefined,
    rejects: (value, _link, context) =>
      find(value, context) === undefined
        ? `${leads(value)} an operation of the contract; correct the name, or remove the link`
        : undefined,
  }
}
