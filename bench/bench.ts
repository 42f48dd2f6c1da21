import { UsageError, runCommand } from '../scripts/command.ts'

/** What a command does in one line, and the module that does it. */
interface Command {
  summary: string
  load: () => Promise<{ run: (args: string[]) => Promise<void> }>
}

/** Everything that measures or proves. Each is the file or the folder of this name. */
const commands: Record<string, Command> = {
  compare: {
    summary: 'compares CPU, memory and speed with peers, and checks the targets; what runs without a name',
    load: () => import('./compare/compare.ts'),
  },
  overload: { summary: 'offers a server twice the load that saturates it', load: () => import('./overload.ts') },
  starve: {
    summary: 'measures how long a client waits while others keep the server busy',
    load: () => import('./starve.ts'),
  },
  fuzz: { summary: 'attacks a server with changed bytes', load: () => import('./fuzz/fuzz.ts') },
  linearizability: {
    summary: 'looks for an order of what many clients see of two servers that are killed',
    load: () => import('./linearizability/linearizability.ts'),
  },
  'power-loss': {
    summary: 'looks for what was acknowledged after a loss of power at any instant',
    load: () => import('./power-loss/power-loss.ts'),
  },
  mutants: {
    summary: 'changes the contract, and expects that the contract suite fails',
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
  failover: { summary: 'takes a PostgreSQL primary away under load', load: () => import('./failover.ts') },
  pgbouncer: { summary: 'serves through PgBouncer, and restarts it under load', load: () => import('./pgbouncer.ts') },
  citus: { summary: 'serves on Citus, and takes its nodes away under load', load: () => import('./citus.ts') },
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
