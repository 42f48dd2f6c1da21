import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../scripts/command.ts'

/**
 * Installs the packages of this folder, if package-lock.json has changed since the last time.
 *
 * @throws UsageError when npm fails; npm prints the reason
 */
export function installPeers(): void {
  const modified = (file: string) => statSync(join(import.meta.dirname, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (modified('node_modules/.package-lock.json') > modified('package-lock.json')) return
  console.error('installing the peers once: npm ci --prefix bench')
  const { status } = spawnSync('npm', ['ci', '--prefix', import.meta.dirname], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new UsageError('the peers were not installed: npm ci --prefix bench failed')
}
