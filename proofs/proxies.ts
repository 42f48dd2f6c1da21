import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError, readArguments, readInteger } from '../scripts/command.ts'
import { startProgram } from '../test/support/server/program.ts'
import { freePort, projectFolder } from '../test/support/server/start-process.ts'
import { ask, create, readiness } from '../test/support/client/ask.ts'
import { report } from '../test/support/run-named.ts'
import { countStatuses, issueCallers, loadWhile, versionOf } from './clients.ts'
import { Lab } from '../test/support/server/lab.ts'

const usage = `Usage: npm run proofs -- proxies [--proxy nginx|haproxy|caddy] [--restarts N]
         restarts two servers alternately behind each proxy, with the files of deploy/, under load;
         counts the responses other than 200; the exit code is 1 when there are any`

const proxyNames = ['nginx', 'haproxy', 'caddy'] as const
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
  // Nothing runs unless all are there.
  const versions = await Promise.all(proxies.map((name) => versionOf(name, name === 'caddy' ? 'version' : '-v')))
  for (const [index, name] of proxies.entries()) await restartBehind(name, `${name} ${versions[index] ?? ''}`, restarts)
}

/**
 * Restarts two servers on one SQLite file in turn, behind a proxy and under load. Repeats each create that got a 5xx or
 * no response, to see whether it was carried out.
 */
async function restartBehind(name: ProxyName, version: string, restarts: number): Promise<void> {
  await using lab = await Lab.open()
  const { location, url } = await lab.database('sqlite')
  const callers = await issueCallers(location, clients)
  const [port, ...serverPorts] = [await freePort(), await freePort(), await freePort()]
  // An empty SHUTDOWN_DELAY selects the default.
  const start = (serverPort: number) =>
    lab.serve(url, String(serverPort), { SHUTDOWN_DELAY: '', PORT: String(serverPort), LOG_LEVEL: 'info' })
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
  const parameters = {
    nginx: ['-e', 'stderr', '-c', file, '-g', 'daemon off;'],
    haproxy: ['-db', '-f', file],
    caddy: ['run', '--adapter', 'caddyfile', '--config', file],
  }
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
  const files = { nginx: 'nginx.conf', haproxy: 'haproxy.cfg', caddy: 'Caddyfile' }
  const shipped = readFileSync(join(projectFolder, 'deploy', files[name]), 'utf8')
  const portOfLine = /(?<=^\s*(?:listen |bind |server |reverse_proxy |:).*|^:)\b[0-9]{4}\b/gm
  const moved = shipped.replace(portOfLine, (text) => String(ports[shippedPorts.indexOf(Number(text))] ?? text))
  if (name === 'haproxy') return moved.replace(/^ *(?:user|group|log) .*$/gm, '')
  // Without its admin endpoint, which listens at a port of its own.
  if (name === 'caddy') return moved.replaceAll('/var/log/caddy', folder).replace('{\n', '{\n\tadmin off\n')
  const uses = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = uses.map((use) => `${use}_temp_path ${folder}/${use};`)
  return moved
    .replace('/run/nginx.pid', `${folder}/nginx.pid`)
    .replaceAll('/var/log/nginx', folder)
    .replace('http {', `http {\n${temporary.join('\n')}`)
    .replace(/^user .*$/m, process.getuid?.() === 0 ? 'user root;' : '')
}
