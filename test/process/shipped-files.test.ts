import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/config.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { projectFolder, startProcess } from '../support/server/start-process.ts'

function textOf(file: string): string {
  return readFileSync(join(projectFolder, file), 'utf8')
}

const unit = textOf('deploy/plant-store.service')

test("compose.yaml trusts its proxy's addresses, and publishes to 127.0.0.1 only", () => {
  // The shape of the project's own file.
  const { services, networks } = parse(textOf('compose.yaml')) as {
    services: { plants: { environment: Record<string, unknown>; ports: string[] } }
    networks: { default: { ipam: { config: { subnet: string }[] } } }
  }
  const environment = Object.fromEntries(
    Object.entries(services.plants.environment).map(([name, value]) => [name, String(value)]),
  )
  const { rateLimit, trustedProxies, warnings } = loadConfig(environment)
  expect(warnings).toEqual([])
  expect(rateLimit).toBeGreaterThan(0)
  expect(trustedProxies).toBe(networks.default.ipam.config[0]?.subnet)
  expect(services.plants.ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
})

/** The folders that systemd makes for a service, which it may write (systemd.exec(5)). */
const ownFolders = {
  StateDirectory: '/var/lib',
  CacheDirectory: '/var/cache',
  LogsDirectory: '/var/log',
  RuntimeDirectory: '/run',
}

test('a server of the systemd unit writes its database and no code', async () => {
  const writable = Object.entries(ownFolders).flatMap(([setting, folder]) =>
    [...unit.matchAll(new RegExp(`^${setting}=(.+)$`, 'gm'))].map(([, name = '']) => `${folder}/${name}`),
  )
  expect(unit).toMatch(/^ProtectSystem=strict$/m)
  expect(unit).not.toMatch(/^(?:ReadWritePaths|BindPaths)=/m)
  const root = await temporaryFolder()
  const settings = [...unit.matchAll(/^Environment=(\w+)=(.+)$/gm)].map(
    ([, name = '', value = '']) => [name, value.replace(/(?<=^|:)(?=\/)/, root)] as const,
  )
  const server = await startProcess(Object.fromEntries(settings))
  await server.end()
  const written = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `/${relative(root, join(parentPath, name))}`)
    .filter((file) => writable.some((folder) => file.startsWith(`${folder}/`)))
  expect(written.filter((file) => !/^\/var\/lib\/plant-store\/plants\.db(?:-\w+)?$/.test(file))).toEqual([])
  expect(written).toContain('/var/lib/plant-store/plants.db')
})
