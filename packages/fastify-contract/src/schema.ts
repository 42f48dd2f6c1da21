/** The parts of JSON Schemas, and checks of values against them, as the server does them. */
export type { JsonType, NamedSchemas, Schema } from './schema/schema-parts.ts'
export { appliesTo, inPlace, isList, isSchema, subschemasOf, targetOf, typesOf } from './schema/schema-parts.ts'
export { schemaNameOf, schemasPointer } from './schema/schema-parts.ts'
export { textFormats } from './schema/formats.ts'
export { patternProblem } from './schema/linear-pattern.ts'
export type { Direction } from './schema/rewrite-schema.ts'
export { type ValueCheck, createValueChecks } from './schema/value-checks.ts'
