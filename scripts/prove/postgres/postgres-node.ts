import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, chown, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client, type QueryResultRow } from 'pg'
import { freePort } from '../../measure/servers/server-process.ts'
import { endWithThisProcess } from '../../measure/servers/server-process.ts'

const run = promisify(execFile)

/** The user whom a server is run as. PostgreSQL refuses root. */
export interface RunningUser {
  uid: number
  gid: number
}

/** A PostgreSQL server whose data is in a folder of its own. */
export interface PostgresNode {
  name: string
  port: number
  /** The database `postgres`, as its owner. */
  url: string
  query: <Row extends QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>
  /** Sends a signal to the server and to all its processes, as the loss of a machine would stop them all. */
  signal: (signal: NodeJS.Signals) => void
  /** Ends it at once, as a loss of power would, and waits until it is gone. */
  kill: () => Promise<void>
  start: () => Promise<void>
  /** The process whose children all its others are. */
  processId: () => number
}

export interface NodeOptions {
  /** The folder of `initdb` and `postgres`. */
  bin: string
  /** An existing folder, in which the node makes its own. */
  folder: string
  name: string
  settings: readonly string[]
  /** Copies this node and follows it, instead of beginning empty. */
  standbyOf?: PostgresNode
}

const startMilliseconds = 30_000

/** The user `postgres`, which Debian's package makes, for root; otherwise the user who runs this. */
export async function runningUser(): Promise<RunningUser> {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  if (uid !== 0) return { uid, gid }
  const [userId, groupId] = await Promise.all(['-u', '-g'].map(async (flag) => run('id', [flag, 'postgres'])))
  return { uid: Number(userId?.stdout), gid: Number(groupId?.stdout) }
}

/** Makes a folder that a server's user can enter and write. */
export async function makeOwnFolder(folder: string, { uid, gid }: RunningUser): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chown(folder, uid, gid)
  await chmod(folder, 0o700)
}

/** Makes a server on 127.0.0.1 and starts it. Everybody on this machine may connect, as long as it runs. */
export async function startNode({ bin, folder, name, settings, standbyOf }: NodeOptions): Promise<PostgresNode> {
  const user = await runningUser()
  const data = join(folder, name)
  await makeOwnFolder(data, user)
  const port = await freePort()
  if (standbyOf === undefined) {
    const flags = [
      '--pgdata',
      data,
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ]
    await run(join(bin, 'initdb'), flags, { ...user, cwd: data })
  } else {
    const flags = ['--pgdata', data, '--dbname', standbyOf.url, '--write-recovery-conf', '--checkpoint=fast']
    await run(join(bin, 'pg_basebackup'), [...flags, '--no-sync'], { ...user, cwd: data })
  }
  const url = `postgres://postgres@127.0.0.1:${String(port)}/postgres`
  let child: ChildProcess | undefined
  let output = ''

  async function start(): Promise<void> {
    const network = [`port=${String(port)}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
    const parameters = [...network, ...settings].flatMap((setting) => ['-c', setting])
    child = spawn(join(bin, 'postgres'), ['-D', data, ...parameters], {
      ...user,
      cwd: data,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    // Its processes end soon after their parent.
    endWithThisProcess(child)
    const started = child
    started.stderr?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4_000)))
    const deadline = performance.now() + startMilliseconds
    while (!(await answers(url))) {
      if (started.exitCode !== null || performance.now() > deadline)
        throw new Error(`${name} did not start:\n${output}`)
      await sleep(50)
    }
  }

  function processIds(): number[] {
    const parent = String(child?.pid)
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').filter(Boolean)
    return [parent, ...children].map(Number)
  }

  function signalAll(signal: NodeJS.Signals): void {
    // The parent first, so that it begins no further ones meanwhile.
    for (const id of processIds()) process.kill(id, signal)
  }

  await start()
  return {
    name,
    port,
    url,
    query: async (text, values) => queryOnce(url, text, values),
    signal: signalAll,
    kill: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      signalAll('SIGKILL')
      await exited
      // Left behind by the kill; a restart would ask whether its process still runs.
      await rm(join(data, 'postmaster.pid'), { force: true })
    },
    start,
    processId: () => Number(child?.pid),
  }
}

/** Runs one statement on a connection of its own. */
export async function queryOnce<Row extends QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

async function answers(url: string): Promise<boolean> {
  return queryOnce(url, 'SELECT 1').then(
    () => true,
    () => false,
  )
}
