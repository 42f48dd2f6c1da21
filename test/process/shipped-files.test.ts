import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/config.ts'
import { startProgram } from '../support/server/program.ts'
import { servedDatabase } from '../support/server/served-database.ts'
import { temporaryFolder } from '../support/server/start-app.ts'
import { nodeBinary, projectFolder, startProcess } from '../support/server/start-process.ts'

function textOf(file: string): string {
  return readFileSync(join(projectFolder, file), 'utf8')
}

const unit = textOf('deploy/plant-store.service')
const backupUnit = textOf('deploy/plant-store-backup.service')

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

test('the unit of backups is hardened as the service is', () => {
  const [, hardening = ''] = /^(NoNewPrivileges=[^]*?)^#/m.exec(unit) ?? []
  const settings = [...hardening.trim().split('\n'), ...(unit.match(/^(?:User|UMask|EnvironmentFile)=.*$/gm) ?? [])]
  expect(settings.filter((setting) => !backupUnit.split('\n').includes(setting))).toEqual([])
})

/** Folders as systemd makes them for the unit of backups, with a database. */
async function unitOfBackups() {
  const root = await temporaryFolder()
  const placed = backupUnit.replaceAll('/opt/plant-store', projectFolder).replaceAll('/var/lib', root)
  const valueOf = (setting: string) => new RegExp(`^${setting}=(.+)$`, 'm').exec(placed)?.[1] ?? ''
  const [state = '', folder = ''] = valueOf('StateDirectory').split(' ')
  const backups = join(root, folder)
  mkdirSync(backups, { recursive: true })
  const { file } = await servedDatabase(join(root, state))
  const programs = await temporaryFolder()
  writeFileSync(join(programs, 'date'), '#!/bin/sh\nexec /bin/date --date="$NOW" "$@"\n', { mode: 0o700 })
  const path = [programs, dirname(nodeBinary), '/usr/bin', '/bin'].join(':')
  return {
    file,
    backups,
    names: () => readdirSync(backups).sort(),
    /** Runs its command at a time. */
    run: async (now: string) => {
      const env = { PATH: path, NOW: now, DATABASE_URL: valueOf('Environment=DATABASE_URL') }
      const { ended, stderr } = await startProgram(valueOf('ExecStart').split(' '), { cwd: root, env }, () => true)
      return { code: await ended, stderr: stderr() }
    },
  }
}

test('the unit of backups keeps those of 14 days, and removes none if it fails', async () => {
  const { file, backups, names, run } = await unitOfBackups()
  const old = Array.from({ length: 15 }, (_, index) => `plants-2026-01-${String(index + 10)}T000000Z.db`)
  const others = ['plants-2026-01-10.db', 'plants-2026-01-10T000000Z.db-wal', 'plants.db', `copy-of-${old[0]!}`]
  const write = (added: string[]) => {
    for (const name of added) writeFileSync(join(backups, name), '')
  }
  write([...old, 'plants-2026-01-10T010000Z.db', ...others])

  const added: string[] = []
  // At last, the clock has been set back.
  for (const [day, kept] of [
    ['2026-01-25', 2],
    ['2026-01-25', 2],
    ['2026-01-01', 3],
  ] as const) {
    const second = String(added.length).padStart(2, '0')
    expect(await run(`${day}T23:59:${second}Z`)).toEqual({ code: 0, stderr: '' })
    added.push(`plants-${day}T2359${second}Z.db`)
    expect(names()).toEqual([...old.slice(kept), ...added, ...others].sort())
  }
  for (const name of added) expect(statSync(join(backups, name)).mode & 0o777).toBe(0o600)

  rmSync(file)
  write(old)
  const before = names()
  expect(await run('2026-01-26')).toEqual({
    code: 1,
    stderr: expect.stringContaining('there is no database') as string,
  })
  expect(names()).toEqual(before)
})
