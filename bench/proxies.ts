import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { UsageError, readArguments, readInteger } from '../scripts/command.ts'
import { issueTokens } from '../test/support/server/issue-tokens.ts'
import { startProgram } from '../test/support/server/program.ts'
import { freePort, projectFolder } from '../test/support/server/start-process.ts'
import { ask, callersOf, countStatuses, create, loadWhile, readiness, report } from './lab/clients.ts'
import { Lab } from './lab/lab.ts'

const usage = `Usage: npm run bench -- proxies [--proxy nginx|haproxy] [--restarts N]
         restarts two servers alternately behind each proxy, with the files of deploy/, under load;
         counts the responses other than 200; the exit code is 1 when there are any`

const proxyNames = ['nginx', 'haproxy'] as const
type ProxyName = (typeof proxyNames)[number]

/** The ports of the proxy and of the servers in the shipped files. */
const shippedPorts = [8080, 3001, 3002]

const clients = 32

/** The pause between restarts, in which both proxies find a restarted server. */
const pauseMilliseconds = 2_500

export async function run(args: string[]): Promise<void> {
  const options = { proxy: { type: 'string' }, restarts: { type: 'string', default: '6' } } as const
  const { values } = readArguments(usage, { args, options })
  const restarts = readInteger(usage, '--restarts', values.restarts, 1)
  const proxies = proxyNames.filter((name) => values.proxy === undefined || values.proxy === name)
  if (proxies.length === 0) throw new UsageError(usage)
  for (const proxy of proxies) await restartBehind(proxy, restarts)
}

/**
 * Restarts two servers on one SQLite file in turn, behind a proxy and under load. Repeats each create that got a 5xx or
 * no response, to see whether it was carried out.
 */
async function restartBehind(name: ProxyName, restarts: number): Promise<void> {
  const version = await versionOf(name)
  await using lab = await Lab.open()
  const file = join(lab.folder, 'plants.db')
  const callers = await issueTokens({ engine: 'sqlite', file }, callersOf(clients))
  const [port, ...serverPorts] = [await freePort(), await freePort(), await freePort()]
  // An empty SHUTDOWN_DELAY selects the default.
  const start = (serverPort: number) =>
    lab.serve(`sqlite:${file}`, String(serverPort), {
      SHUTDOWN_DELAY: '',
      PORT: String(serverPort),
      LOG_LEVEL: 'info',
    })
  const servers = await Promise.all(serverPorts.map(start))
  await using _proxy = await startProxy(name, lab.folder, [port, ...serverPorts])
  const { sent } = await loadWhile(port, callers, {}, async () => {
    for (let restart = 0; restart < restarts; restart++) {
      await sleep(pauseMilliseconds)
      const turn = restart % servers.length
      // There is a server for each remainder.
      await servers[turn]!.end()
      servers[turn] = await start(serverPorts[turn]!)
    }
    await sleep(pauseMilliseconds)
  })
  const unclear = sent.filter(({ kind, status }) => kind === 'create' && (status === 0 || status >= 500))
  const repeated = await Promise.all(unclear.map(({ caller, id }) => ask(port, caller.token, create(id))))
  const carriedOut = repeated.filter(({ status }) => status === 409).length
  const isExpected = sent.every(({ status }) => status === 200)
  report(`${version}, ${String(restarts)} restarts: statuses`, countStatuses(sent), isExpected)
  report(`${version}: creates without a response, carried out`, `${String(unclear.length)}, ${String(carriedOut)}`)
}

/** @returns such as `nginx 1.22.1` */
async function versionOf(name: ProxyName): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(name, ['-v']).catch((error: unknown) => {
    throw new UsageError(`${name} does not run: install it first`, { cause: error })
  })
  return `${name} ${/[0-9]+(?:\.[0-9]+)+/.exec(stdout + stderr)?.[0] ?? 'of an unknown version'}`
}

/**
 * Starts a proxy with its file in deploy/ and waits until it finds a ready server.
 *
 * @param folder for the proxy's files and log
 * @param ports replace those in its file
 * @throws Error when the proxy ends before that
 */
async function startProxy(name: ProxyName, folder: string, ports: [number, ...number[]]): Promise<AsyncDisposable> {
  const file = join(folder, `${name}.conf`)
  writeFileSync(file, adapt(name, folder, ports))
  // If root starts nginx, its workers run as another user and write here.
  chmodSync(folder, 0o777)
  const parameters = { nginx: ['-e', 'stderr', '-c', file, '-g', 'daemon off;'], haproxy: ['-db', '-f', file] }
  const { end } = await startProgram(
    [name, ...parameters[name]],
    // On SIGTERM, nginx ends its workers. After a SIGKILL they would continue.
    { logFile: join(folder, `${name}.log`), lastSignal: 'SIGTERM' },
    async () => (await readiness(ports[0])) === 200,
  )
  return { [Symbol.asyncDispose]: () => end() }
}

/** Changes the ports of the shipped file, removes what needs root, and moves its files to one folder. */
function adapt(name: ProxyName, folder: string, ports: readonly number[]): string {
  const files = { nginx: 'nginx.conf', haproxy: 'haproxy.cfg' }
  const shipped = readFileSync(join(projectFolder, 'deploy', files[name]), 'utf8')
  const portOfLine = /(?<=^ *(?:listen |bind |server ).*)\b[0-9]{4}\b/gm
  const moved = shipped.replace(portOfLine, (text) => String(ports[shippedPorts.indexOf(Number(text))] ?? text))
  if (name === 'haproxy') return moved.replace(/^ *(?:user|group|log) .*$/gm, '')
  const uses = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = uses.map((use) => `${use}_temp_path ${folder}/${use};`)
  return moved
    .replace('/run/nginx.pid', `${folder}/nginx.pid`)
    .replaceAll('/var/log/nginx', folder)
    .replace('http {', `http {\n${temporary.join('\n')}`)
    .replace(/^user .*$/m, process.getuid?.() === 0 ? 'user root;' : '')
}
