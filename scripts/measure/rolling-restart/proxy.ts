import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { endWithThisProcess, projectFolder } from '../servers/server-process.ts'
import { freePort } from '../servers/free-port.ts'

export const proxyNames = ['nginx', 'haproxy'] as const
export type ProxyName = (typeof proxyNames)[number]

export interface RunningProxy {
  port: number
  stop: () => Promise<void>
}

/** Where the shipped files have the proxy and the servers listen. */
const shippedPort = 8080
const shippedServerPorts = [3001, 3002]

const startMilliseconds = 10_000

/** @returns such as `nginx 1.22.1` */
export async function versionOf(name: ProxyName): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(name, ['-v']).catch((error: unknown) => {
    throw new Error(`${name} does not run: install it first`, { cause: error })
  })
  return `${name} ${/[0-9]+(?:\.[0-9]+)+/.exec(stdout + stderr)?.[0] ?? 'of an unknown version'}`
}

/**
 * Starts a proxy with the file that is shipped for it, on a free port.
 *
 * @param folder takes the file, its log and what else it writes
 * @param serverPorts at 127.0.0.1
 * @throws Error when the proxy ends before it listens
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
  // nginx run by root has workers of another user, who write here.
  chmodSync(folder, 0o777)
  const log = openSync(join(folder, `${name}.log`), 'a')
  const parameters = { nginx: ['-e', 'stderr', '-c', file, '-g', 'daemon off;'], haproxy: ['-db', '-f', file] }
  const child = spawn(name, parameters[name], { stdio: ['ignore', log, log] })
  // The master of nginx ends its workers at this signal; they would outlive its SIGKILL.
  endWithThisProcess(child, 'SIGTERM')
  const deadline = performance.now() + startMilliseconds
  while (!(await isListening(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill()
      throw new Error(`${name} did not start:\n${readFileSync(join(folder, `${name}.log`), 'utf8').slice(-2_000)}`)
    }
    await delay(20)
  }
  return {
    port,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

/**
 * The shipped file with other ports, without what only root may do, and with everything that it writes in one folder.
 */
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

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
