import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/monitoring/metrics.ts'

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[]
}

test('the dashboard asks for metrics that there are, and shows every one of the service’s own', async () => {
  const { panels } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../deploy/grafana-dashboard.json'), 'utf8'),
  ) as Dashboard
  const asked = new Set(
    panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => expr.match(/\b(?:plant_store|nodejs|process)_\w+/g) ?? []),
    ),
  )
  const metrics = createMetrics()
  metrics.watchQueue(() => 0)
  const { text } = await metrics.read()
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type]) => ({ name, type }))
  const known = types.flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
  expect([...asked].filter((name) => !known.includes(name))).toEqual([])
  const own = types.filter(({ name }) => name.startsWith('plant_store_')).map(({ name }) => name)
  expect(own.filter((name) => ![...asked].some((each) => each.startsWith(name)))).toEqual([])
})
