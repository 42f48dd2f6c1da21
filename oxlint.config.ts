import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type OxlintOverride, defineConfig } from 'oxlint'

/** Plain rules of ESLint, https://eslint.org/docs/latest/rules. */
const javascript = [
  'eqeqeq',
  'no-array-constructor',
  'no-unused-expressions',
  'no-useless-constructor',
  'no-var',
  'prefer-const',
  'prefer-rest-params',
  'prefer-spread',
]

/**
 * The rules of typescript-eslint's `strict-type-checked`, https://typescript-eslint.io/rules, most of which ask the
 * compiler for types.
 */
const typescript = [
  'await-thenable',
  'consistent-type-imports',
  'no-array-delete',
  'no-base-to-string',
  'no-confusing-void-expression',
  'no-deprecated',
  'no-duplicate-enum-values',
  'no-duplicate-type-constituents',
  'no-dynamic-delete',
  'no-empty-object-type',
  'no-explicit-any',
  'no-extra-non-null-assertion',
  'no-extraneous-class',
  'no-floating-promises',
  'no-for-in-array',
  'no-implied-eval',
  'no-invalid-void-type',
  'no-meaningless-void-operator',
  'no-misused-new',
  'no-misused-promises',
  'no-misused-spread',
  'no-mixed-enums',
  'no-namespace',
  'no-non-null-asserted-nullish-coalescing',
  'no-non-null-asserted-optional-chain',
  'no-redundant-type-constituents',
  'no-require-imports',
  'no-this-alias',
  'no-unnecessary-boolean-literal-compare',
  'no-unnecessary-condition',
  'no-unnecessary-template-expression',
  'no-unnecessary-type-arguments',
  'no-unnecessary-type-assertion',
  'no-unnecessary-type-constraint',
  'no-unnecessary-type-conversion',
  'no-unnecessary-type-parameters',
  'no-unsafe-argument',
  'no-unsafe-assignment',
  'no-unsafe-call',
  'no-unsafe-declaration-merging',
  'no-unsafe-enum-comparison',
  'no-unsafe-function-type',
  'no-unsafe-member-access',
  'no-unsafe-return',
  'no-unsafe-unary-minus',
  'no-useless-default-assignment',
  'no-wrapper-object-types',
  'only-throw-error',
  'prefer-as-const',
  'prefer-literal-enum-member',
  'prefer-namespace-keyword',
  'prefer-promise-reject-errors',
  'prefer-reduce-type-parameter',
  'prefer-return-this-type',
  'related-getter-setter-pairs',
  'require-await',
  'triple-slash-reference',
  'unbound-method',
  'unified-signatures',
  'use-unknown-in-catch-callback-variable',
]

const plants = { regex: '^(\\.\\./){4}', message: 'Generic code is in packages/; plant code is in src and test.' }
const behind = {
  regex: '^(\\.\\./)+(packages|fastify-contract(-cli)?)/',
  message: 'Import the package by its name; its README lists the entry points.',
}
const commands = {
  regex: '^(\\.\\./)+(bench|proofs)/',
  message: 'Nothing imports bench or proofs; what others need as well is in test/support.',
}
const tests = { regex: '^(\\.\\./)+test/', message: 'The service runs without its tests.' }
const scripts = { regex: '^(\\.\\./)+scripts/', message: 'The service runs without its scripts.' }
const tools = { regex: '^fastify-contract-cli', message: 'A production install does not have the command line.' }

/** Folders that are layers, the lowest first: each imports only those before it. */
const layers = {
  'fastify-contract/src': ['json', 'schema', 'document', 'engine', 'server'],
  'fastify-contract/src/schema': ['patterns', 'read', 'check'],
  'fastify-contract-cli/src/model': ['yaml', 'rules', 'table', 'mend', 'check'],
  'fastify-contract-cli/src/suite': ['ground', 'draw', 'write', 'break', 'send', 'judge', 'state', 'run'],
}

/** An `import` of it reads every export of node:http. */
const http = { regex: '^node:http$', allowTypeImports: true, message: 'Import node-http.ts, which says why.' }

/** What the files of a layer may not import. */
function above(folders: readonly string[], layer: string) {
  const others = folders.slice(folders.indexOf(layer) + 1).join('|')
  return { regex: `^(\\.\\./)+(${others})/`, message: `The order is ${folders.join(' → ')}.` }
}

/** What the files of a folder that is a layer, and may be in another one, may not import. */
function withinLayers(folder: string) {
  const own = Object.entries(layers).flatMap(([parent, folders]) => {
    const layer = folders.find((each) => folder.startsWith(`${parent}/${each}/`))
    return layer === undefined || layer === folders.at(-1) ? [] : [above(folders, layer)]
  })
  return [behind, tools, plants, ...(folder.startsWith('fastify-contract/') ? [http] : []), ...own]
}

/** What serves connections does not depend on what is served. */
const contract = {
  group: [
    ...['../*', '!../limits.ts', '!../cut-off.ts', '!../failure-form.ts', '!../response-headers.ts'],
    ...['../../*/*', '!../../engine/refusal.ts'],
  ],
  message: 'server/connections knows no contract.',
}

/** The docs page takes memory, and most servers never show it. */
const docs = { regex: String.raw`^\./docs/`, message: 'Load server/docs by import(), at the first visit.' }

/** The mock sends nothing. */
const mock = {
  regex: '^\\.\\./suite/(write|break|send|judge|state|run)/',
  message: 'The mock imports ground and draw of the suite.',
}

/** What the files of a folder may not import. Generic code is in packages/, reached through `exports`. */
const borders = {
  'src/**': [behind, commands, tests, scripts, tools],
  'scripts/**': [behind, commands, tests, tools],
  'test/**': [behind, commands],
  'bench/**': [behind, commands],
  'examples/**': [{ regex: '^\\.\\./', message: 'An example is a folder that anybody can copy.' }],
  'proofs/**': [behind, commands],
  'packages/**': [behind, tools, plants],
  // These are one folder nearer to the root.
  'packages/*/*/*.ts': [behind, tools, { ...plants, regex: '^(\\.\\./){3}' }],
  'packages/fastify-contract-cli/src/mock/**': [behind, tools, plants, mock],
  ...Object.fromEntries(
    Object.entries(layers).flatMap(([parent, folders]) =>
      folders.map((layer) => [`packages/${parent}/${layer}/**`, withinLayers(`${parent}/${layer}/`)]),
    ),
  ),
  'packages/fastify-contract/src/server/*.ts': [behind, tools, plants, http, docs],
  'packages/fastify-contract/src/server/connections/**': [behind, tools, plants, http, contract],
}

/** The rules ask for types, and the peers of the bench have theirs when `npm ci --prefix bench/peers` has brought them. */
const untyped = existsSync(join(import.meta.dirname, 'bench/peers/node_modules')) ? [] : ['bench/peers/']

/** Their types are generated, and then compiled with them, by a test. */
const typedByTests = ['types.proof.ts', 'services/*/handlers.ts'].map(
  (path) => `packages/fastify-contract-cli/test/${path}`,
)

export default defineConfig({
  plugins: ['eslint', 'typescript', 'import'],
  // Each rule is named here, so that another version of the linter has no rule that nobody chose.
  categories: { correctness: 'off' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['generated/', 'coverage/', 'data/', ...typedByTests, ...untyped],
  rules: {
    ...Object.fromEntries(
      [...javascript, ...typescript.map((name) => `typescript/${name}`)].map((name) => [name, 'error']),
    ),
    // Files that need each other read as one; a type that both need has a file of its own.
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
    'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
    'typescript/restrict-plus-operands': [
      'error',
      { allowAny: false, allowBoolean: false, allowNullish: false, allowNumberAndString: false, allowRegExp: false },
    ],
    'typescript/restrict-template-expressions': [
      'error',
      {
        allowAny: false,
        allowBoolean: false,
        allowNever: false,
        allowNullish: false,
        allowNumber: false,
        allowRegExp: false,
      },
    ],
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    'typescript/switch-exhaustiveness-check': [
      'error',
      { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: false },
    ],
  },
  overrides: Object.entries(borders).map(([folder, patterns]): OxlintOverride => ({
    files: [folder],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  })),
})
