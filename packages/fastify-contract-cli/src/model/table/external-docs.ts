import { type Keyword, lacking, warn } from '../rules/keyword.ts'

/** Of the document, an operation or a schema. */
export const externalDocs: Keyword = { isShown: true, rule: (docs) => warn(lacking(docs, 'url')) }
