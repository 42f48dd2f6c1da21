import { type Keyword, lacking } from './keyword.ts'

/** Of the document, an operation or a schema. */
export const externalDocs: Keyword = { isShown: true, warns: (docs) => lacking(docs, 'url') }
