import { UsageError, runCommand } from '../scripts/command.ts'

/** A command: its summary and its module. */
interface Command {
  summary: string
  load: () => Promise<{ run: (args: string[]) => Promise<void> }>
}

/** All commands, by the names of their files or folders. */
const commands: Record<string, Command> = {
  compare: {
    summary: 'compares CPU, memory and speed with peers, and checks the targets (the default)',
    load: () => import('./compare/compare.ts'),
  },
  overload: { summary: 'offers a server twice the load that saturates it', load: () => import('./overload.ts') },
  starve: {
    summary: 'measures how long a client waits while others keep the server busy',
    load: () => import('./starve.ts'),
  },
  fuzz: { summary: 'attacks a server with mutated requests', load: () => import('./fuzz/fuzz.ts') },
  linearizability: {
    summary: 'checks that the responses of two killed servers are linearizable',
    load: () => import('./linearizability/linearizability.ts'),
  },
  'power-loss': {
    summary: 'checks that no acknowledged write is lost in a power loss at any instant',
    load: () => import('./power-loss/power-loss.ts'),
  },
  mutants: {
    summary: 'changes the contract and expects the contract suite to fail',
    load: () => import('./mutants/mutants.ts'),
  },
  directory: {
    summary: 'generates from the public contracts of a directory',
    load: () => import('./directory.ts'),
  },
  proxies: {
    summary: 'restarts servers behind nginx and HAProxy under load',
    load: () => import('./proxies.ts'),
  },
  failover: { summary: 'fails over a PostgreSQL primary under load', load: () => import('./failover.ts') },
  pgbouncer: { summary: 'serves through PgBouncer and restarts it under load', load: () => import('./pgbouncer.ts') },
  citus: { summary: 'serves on Citus and kills its nodes under load', load: () => import('./citus.ts') },
}

const names = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(16)} ${summary}`)
const usage = `Usage: npm run bench -- [NAME] [OPTION]...   npm run bench -- NAME --help lists the options of NAME

${names.join('\n')}`

async function run([first, ...rest]: string[]): Promise<void> {
  if (first === '--help') {
    console.log(usage)
    return
  }
  const isNamed = first?.startsWith('-') === false
  const command = commands[isNamed ? first : 'compare']
  if (command === undefined) throw new UsageError(`there is no bench ${JSON.stringify(first)}\n${usage}`)
  const { run: runNamed } = await command.load()
  await runNamed(isNamed || first === undefined ? rest : [first, ...rest])
}

await runCommand(() => run(process.argv.slice(2)))
