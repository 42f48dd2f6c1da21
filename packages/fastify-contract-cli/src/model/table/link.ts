import { type Keywords, shown } from './keyword.ts'

export const link: Keywords = {
  ...shown('$ref parameters requestBody description server'),
  operationId: {
    isShown: true,
    ignores: (id, _link, { hasOperation }) =>
      hasOperation({ id }) ? undefined : lost(id, 'the operationId of exactly one operation'),
  },
  operationRef: {
    isShown: true,
    ignores: (reference, _link, { hasOperation }) =>
      // An operation of another contract is not checked.
      !String(reference).startsWith('#') || hasOperation({ reference: String(reference) })
        ? undefined
        : lost(reference, 'an operation'),
  },
}

function lost(target: unknown, wanted: string): string {
  return `the link leads to ${String(target)}, which is not ${wanted}, and is ignored; correct the name`
}
