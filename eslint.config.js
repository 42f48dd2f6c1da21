import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

export default defineConfig(
  { ignores: ['node_modules/', 'coverage/', 'reports/', '.stryker-tmp/', 'data/', 'generated/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ['eslint.config.js'] }, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: false }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // `!` is a statement with a reason beside it, like a cast.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // `Record<never, never>` is the object without members, meant where a contract declares none.
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      eqeqeq: 'error',
      'no-console': 'off',
    },
  },
)
