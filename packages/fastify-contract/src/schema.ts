/** The parts of JSON Schemas, and checks of values against them, as the server does them. */
export type {
  ApplicatorName,
  AssertionName,
  ChoiceName,
  JsonType,
  KeywordName,
  NamedSchemas,
  Schema,
} from './schema/read/schema.ts'
export { type Subschema, choiceNames, groups, isKeyword, keywordNames } from './schema/read/schema.ts'
export { alternativesOf, constantsOf, defaultOf, isMarked, itemsOf, propertiesOf } from './schema/read/meaning.ts'
export { isOfType, maxBytesOf, requiredBy, requiredOf, typesOf } from './schema/read/meaning.ts'
export {
  appliesTo,
  inPlace,
  isAnnotation,
  isData,
  isSchema,
  subschemasOf,
  targetOf,
} from './schema/read/schema-parts.ts'
export { withSubschemas, withoutAnnotations } from './schema/read/schema-parts.ts'
export { schemaNameOf, schemasPointer } from './schema/read/schema-parts.ts'
export { decimalOf } from './schema/check/scalar-assertions.ts'
export { textFormats } from './schema/patterns/formats.ts'
export { LinearPattern } from './schema/patterns/linear-pattern.ts'
export { patternProblem } from './schema/patterns/pattern-problem.ts'
export { discriminatorOf } from './schema/check/discriminator.ts'
export type { Direction } from './schema/check/rewrite-schema.ts'
export { type ValueCheck, createValueChecks } from './schema/check/value-checks.ts'
