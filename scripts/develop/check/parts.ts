import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { contractFile } from '../../../src/contract/document.ts'
import { runTool } from './run-tool.ts'

/** The result of one part of the check. */
export interface PartResult {
  ok: boolean
  /** The result in one line. */
  summary: string
  /** The faults and their remedies; empty if there are none. */
  details: string
}

/** One part of the check, run in the project's folder `root`. */
type Part = (root: string) => Promise<PartResult>

/** The parts of `npm run check`, in the order of their output. */
export const parts = {
  generated: async (root) => {
    const { generate } = await import('../generate/generate.ts')
    const { ok, lines } = await generate(root, 'check')
    return ok
      ? { ok, summary: lines.join(' '), details: '' }
      : { ok, summary: `generated/ and ${contractFile} do not go together`, details: lines.join('\n') }
  },
  contract: (root) => lint(root, '@redocly/cli', 'bin/cli.js', ['lint', contractFile]),
  breaking: async (root) => {
    const { checkBreaking } = await import('../breaking/compare-with-release.ts')
    const { ok, lines } = await checkBreaking(root, undefined)
    return { ok, summary: lines.at(-1) ?? '', details: ok ? '' : lines.slice(0, -1).join('\n') }
  },
  types: async (root) => {
    const incremental = ['--incremental', '--tsBuildInfoFile', '.cache/typecheck.tsbuildinfo']
    const { ok, output } = await compile(root, incremental)
    if (!ok) return { ok, summary: 'the compiler complains', details: output }
    // The bench compiles only when the packages of its peers are installed.
    const bench = existsSync(join(root, 'bench/node_modules')) ? await compile(join(root, 'bench'), []) : undefined
    if (bench?.ok === false) return { ok: false, summary: 'the compiler complains of bench/', details: bench.output }
    return { ok, summary: 'every operation has its handler, and the compiler has no complaint', details: '' }
  },
  format: async (root) => {
    const cached = ['--cache', '--cache-location', '.cache/prettier']
    const { ok, output } = await runTool(root, 'prettier', 'bin/prettier.cjs', [...cached, '--list-different', '.'])
    return ok
      ? { ok, summary: 'every file is formatted', details: '' }
      : { ok, summary: 'npm run format would change files', details: `${output}\nrun npm run format` }
  },
  code: (root) => lint(root, 'oxlint', 'bin/oxlint', []),
  examples: async (root) => {
    const tests = ['--testNamePattern', 'the examples of the contract', 'test/contract-suite']
    const { ok, output } = await runTool(root, 'vitest', 'vitest.mjs', ['run', '--project', 'sqlite', ...tests])
    // vitest succeeds when no test matches the pattern.
    const hasRun = /^\s*Tests\s+.*\d+ passed/m.test(output)
    return ok && hasRun
      ? { ok, summary: 'the service answers the examples as the contract has them', details: '' }
      : { ok: false, summary: 'the service does not answer the examples as the contract has them', details: output }
  },
} satisfies Record<string, Part>

async function lint(...tool: Parameters<typeof runTool>): Promise<PartResult> {
  const { ok, output } = await runTool(...tool)
  return { ok, summary: ok ? 'the linter has no finding' : 'the linter has findings', details: ok ? '' : output }
}

function compile(folder: string, args: string[]): ReturnType<typeof runTool> {
  return runTool(folder, 'typescript-7', 'bin/tsc', ['--noEmit', '--pretty', 'false', ...args])
}

export type PartName = keyof typeof parts
