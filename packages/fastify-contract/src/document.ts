/** A contract as an OpenAPI document: its operations, and their parameters and responses. */
export type { ContractDocument, ContractMethod, ContractOperation, ContractResponse } from './document/document.ts'
export type { Exampled, Parameter } from './document/document.ts'
export { basePathsOf, contractMethods, declaredResponse, dereference, maps } from './document/document.ts'
export { generateCommand, shellQuoted } from './document/generate-command.ts'
export { operationsOf } from './document/document.ts'
export { isJson, isRange, isText, kindOf, parseMediaType } from './document/media-type.ts'
export { type ContractTexts, documentOf, sealContract } from './document/contract.ts'
