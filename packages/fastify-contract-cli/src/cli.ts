#!/usr/bin/env node
import { createRequire } from 'node:module'

// Another Node may not even load the modules of the commands, or fail in them as if the contract were at fault.
const { engines } = createRequire(import.meta.url)('../package.json') as { engines: { node: string } }
const versions = engines.node.split(' || ')

if (versions.includes(String(process.versions.node.split('.')[0]))) {
  const { runCommand } = await import('./run-command.ts')
  process.exitCode = await runCommand(process.argv.slice(2))
} else {
  console.error(`fastify-contract runs on Node ${versions.join(' and ')}, not ${process.version}; install one of them`)
  process.exitCode = 2
}
