import { runTool } from '../../packages/fastify-contract/src/gate/run-tool.ts'

/** What `npm run typecheck` does, in a copy of the project. */
export function compile(root: string): ReturnType<typeof runTool> {
  return runTool(root, 'typescript-7', 'bin/tsc', ['--noEmit', '--pretty', 'false'])
}

/** What `npm run lint:contract` does, in a copy of the project. */
export function lintContract(root: string): ReturnType<typeof runTool> {
  return runTool(root, '@redocly/cli', 'bin/cli.js', ['lint', 'openapi.yaml'])
}
