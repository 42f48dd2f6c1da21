import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { UsageError, readArguments, readInteger } from '../scripts/command.ts'
import { type Sent, ask, callersOf, countStatuses, create, readiness, startClients } from './lab/clients.ts'
import { Lab } from './lab/lab.ts'
import { issueTokens } from '../test/support/server/issue-tokens.ts'
import { startProgram } from '../test/support/server/program.ts'
import { type ServerProcess, freePort, projectFolder } from '../test/support/server/start-process.ts'

const usage = `Usage: npm run bench -- proxies [--proxy nginx|haproxy] [--restarts N]
         restarts two servers alternately behind each proxy, with the files of deploy/, under load;
         counts the answers other than 200; the exit code is 1 when there are any`

const proxyNames = ['nginx', 'haproxy'] as const
type ProxyName = (typeof proxyNames)[number]

interface RunningProxy {
  port: number
  stop: () => Promise<void>
}

/** The ports of the proxy and of the servers in the shipped files. */
const shippedPort = 8080
const shippedServerPorts = [3001, 3002]

const clients = 32

/** The pause between two restarts. Both proxies use a server that is ready again within this time. */
const pauseMilliseconds = 2_500

export async function run(args: string[]): Promise<void> {
  const { values } = readArguments(usage, {
    args,
    options: {
      proxy: { type: 'string' },
      restarts: { type: 'string', default: '6' },
    },
  })
  const restarts = readInteger(usage, '--restarts', values.restarts, 1)
  const proxies = proxyNames.filter((name) => values.proxy === undefined || values.proxy === name)
  if (proxies.length === 0) throw new UsageError(usage)
  for (const proxy of proxies) {
    const version = await versionOf(proxy)
    const { sent, unclear, carriedOut } = await restartBehind(proxy, restarts)
    const outcome = `${countStatuses(sent)}; creates without an answer: ${String(unclear)}`
    console.log(`${version}, ${String(restarts)} restarts: ${outcome}, carried out: ${String(carriedOut)}`)
    if (sent.some(({ status }) => status !== 200)) process.exitCode = 1
  }
}

/**
 * Restarts two servers alternately, on one SQLite file, behind a proxy and under load. Repeats each create that got a
 * 5xx or no answer, to see whether it was carried out.
 */
async function restartBehind(
  name: ProxyName,
  restarts: number,
): Promise<{ sent: Sent[]; unclear: number; carriedOut: number }> {
  await using lab = await Lab.open()
  await using cleanup = new AsyncDisposableStack()
  const file = join(lab.folder, 'plants.db')
  const callers = await issueTokens({ engine: 'sqlite', file }, callersOf(clients))
  const servers: { port: number; server: ServerProcess }[] = []
  const ports = [await freePort(), await freePort()]
  for (const port of ports) servers.push({ port, server: await start(lab, file, port) })
  const proxy = await startProxy(name, lab.folder, ports)
  cleanup.defer(proxy.stop)
  await using load = startClients(proxy.port, callers, true, 0)
  for (let restart = 0; restart < restarts; restart++) {
    await delay(pauseMilliseconds)
    // There is a server for each remainder.
    const restarted = servers[restart % servers.length]!
    await restarted.server.end()
    restarted.server = await start(lab, file, restarted.port)
  }
  await delay(pauseMilliseconds)
  await load.stop()
  const unclear = load.sent.filter(({ kind, status }) => kind === 'create' && (status === 0 || status >= 500))
  const repeated = await Promise.all(unclear.map(({ caller, id }) => ask(proxy.port, caller.token, create(id))))
  return {
    sent: load.sent,
    unclear: unclear.length,
    carriedOut: repeated.filter(({ status }) => status === 409).length,
  }
}

/** A server that listens is ready. */
function start(lab: Lab, file: string, port: number): Promise<ServerProcess> {
  // An empty SHUTDOWN_DELAY selects the server's default, where a lab's servers have none.
  const environment = { SHUTDOWN_DELAY: '', PORT: String(port), LOG_LEVEL: 'info' }
  return lab.serve(`sqlite:${file}`, String(port), environment)
}

/** @returns such as `nginx 1.22.1` */
async function versionOf(name: ProxyName): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(name, ['-v']).catch((error: unknown) => {
    throw new Error(`${name} does not run: install it first`, { cause: error })
  })
  return `${name} ${/[0-9]+(?:\.[0-9]+)+/.exec(stdout + stderr)?.[0] ?? 'of an unknown version'}`
}

/**
 * Starts a proxy on a free port, with its file in deploy/, and waits until it has found a server ready.
 *
 * @param folder the proxy writes its files and its log there
 * @param serverPorts ports of 127.0.0.1
 * @throws Error when the proxy ends before that
 */
async function startProxy(name: ProxyName, folder: string, serverPorts: readonly number[]): Promise<RunningProxy> {
  const port = await freePort()
  const file = join(folder, `${name}.conf`)
  const ports = new Map<number, number | undefined>([[shippedPort, port]])
  for (const [index, shipped] of shippedServerPorts.entries()) ports.set(shipped, serverPorts[index])
  writeFileSync(file, adapt(name, folder, ports))
  // The workers of an nginx that root has started run as another user and write here.
  chmodSync(folder, 0o777)
  const parameters = { nginx: ['-e', 'stderr', '-c', file, '-g', 'daemon off;'], haproxy: ['-db', '-f', file] }
  const { end } = await startProgram(
    [name, ...parameters[name]],
    // On SIGTERM the master of nginx ends its workers. After a SIGKILL they would go on.
    { logFile: join(folder, `${name}.log`), lastSignal: 'SIGTERM' },
    async () => (await readiness(port)) === 200,
  )
  return { port, stop: end }
}

/** Changes the ports of the shipped file, removes what only root may do, and moves its files to one folder. */
function adapt(name: ProxyName, folder: string, ports: ReadonlyMap<number, number | undefined>): string {
  const files = { nginx: 'nginx.conf', haproxy: 'haproxy.cfg' }
  const shipped = readFileSync(join(projectFolder, 'deploy', files[name]), 'utf8')
  const portOfLine = /(?<=^ *(?:listen |bind |server ).*)\b[0-9]{4}\b/gm
  const moved = shipped.replace(portOfLine, (text) => String(ports.get(Number(text)) ?? text))
  if (name === 'haproxy') return moved.replace(/^ *(?:user|group|log) .*$/gm, '')
  const uses = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = uses.map((use) => `${use}_temp_path ${folder}/${use};`)
  return moved
    .replace('/run/nginx.pid', `${folder}/nginx.pid`)
    .replaceAll('/var/log/nginx', folder)
    .replace('http {', `http {\n${temporary.join('\n')}`)
    .replace(/^user .*$/m, process.getuid?.() === 0 ? 'user root;' : '')
}
