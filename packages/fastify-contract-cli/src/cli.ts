#!/usr/bin/env node
import { engines } from './manifest.ts'

// Another Node may not even load the modules of the commands, or fail in them as if the contract were at fault.
const oldest = engines.node.replace('>=', '')

if (process.versions.node.localeCompare(oldest, 'en', { numeric: true }) >= 0) {
  const { runCommand } = await import('./commands/run-command.ts')
  process.exitCode = await runCommand(process.argv.slice(2))
} else {
  console.error(`fastify-contract needs Node ${oldest} or later; this is ${process.version}`)
  process.exitCode = 2
}
