import { execFile } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readiness } from '../servers/clients.ts'
import { startProgram } from '../servers/program.ts'
import { freePort, projectFolder } from '../servers/server-process.ts'

export const proxyNames = ['nginx', 'haproxy'] as const
export type ProxyName = (typeof proxyNames)[number]

export interface RunningProxy {
  port: number
  stop: () => Promise<void>
}

/** The ports of the proxy and of the servers in the shipped files. */
const shippedPort = 8080
const shippedServerPorts = [3001, 3002]

/** @returns such as `nginx 1.22.1` */
export async function versionOf(name: ProxyName): Promise<string> {
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
export async function startProxy(
  name: ProxyName,
  folder: string,
  serverPorts: readonly number[],
): Promise<RunningProxy> {
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
