import assert from 'node:assert/strict'
import { type OfficialClient, type Values, at, call, callNow, liveThrough, make, shows } from './steps.ts'

const namespace = 'garden'

export const kubernetes: OfficialClient = {
  package: '@kubernetes/client-node@2.0.1',
  contract: 'kubernetes.json',
  async run(steps, origin, module) {
    const config = make(module, 'KubeConfig')
    callNow(config, 'loadFromOptions', {
      clusters: [{ name: 'mock', server: origin, skipTLSVerify: true }],
      users: [{ name: 'me', token: 't' }],
      contexts: [{ name: 'mock', cluster: 'mock', user: 'me' }],
      currentContext: 'mock',
    })
    const client = callNow(config, 'makeApiClient', at(module, 'CoreV1Api'))
    const kind = (name: string) => ({
      name,
      id: 'metadata.name',
      create: (body: Values) => call(client, `createNamespaced${name}`, { namespace, body }),
      get: (each: string) => call(client, `readNamespaced${name}`, { namespace, name: each }),
      list: async () => at(await call(client, `listNamespaced${name}`, { namespace }), 'items'),
      remove: (each: string) => call(client, `deleteNamespaced${name}`, { namespace, name: each }),
    })
    const replace = (name: string, values: Values) => ({
      update: (each: string, change: Values) =>
        call(client, `replaceNamespaced${name}`, { namespace, name: each, body: { ...values, ...change } }),
    })
    const maps = [
      { metadata: { name: 'plants', labels: { app: 'store' } }, data: { fern: 'green' } },
      { metadata: { name: 'pots' }, data: { clay: 'red' } },
    ] as const
    await liveThrough(steps, {
      ...kind('ConfigMap'),
      ...replace('ConfigMap', maps[0]),
      values: maps,
      change: { data: { fern: 'brown' } },
    })
    const ports = [{ port: 80, targetPort: 8080 }]
    const services = [
      { metadata: { name: 'web' }, spec: { type: 'ClusterIP', selector: { app: 'web' }, ports } },
      { metadata: { name: 'api' }, spec: { type: 'NodePort', selector: { app: 'api' }, ports } },
    ] as const
    await liveThrough(steps, {
      ...kind('Service'),
      ...replace('Service', services[0]),
      values: services,
      change: { spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports } },
    })
    const containers = [{ name: 'main', image: 'nginx' }]
    await liveThrough(steps, {
      ...kind('Pod'),
      values: [
        { metadata: { name: 'one' }, spec: { containers } },
        { metadata: { name: 'two' }, spec: { containers, nodeName: 'n1' } },
      ],
    })
    await liveThrough(steps, {
      name: 'Namespace',
      id: 'metadata.name',
      values: [{ metadata: { name: 'a', labels: { team: 'x' } } }, { metadata: { name: 'b' } }],
      create: (body) => call(client, 'createNamespace', { body }),
      get: (name) => call(client, 'readNamespace', { name }),
      list: async () => at(await call(client, 'listNamespace', {}), 'items'),
      remove: (name) => call(client, 'deleteNamespace', { name }),
    })
    await steps.take('Secret: patch', async () => {
      const body = { metadata: { name: 'key' }, stringData: { a: '1' }, type: 'Opaque' }
      await call(client, 'createNamespacedSecret', { namespace, body })
      const change = { metadata: { labels: { app: 'x' } } }
      const options = callNow(module, 'setHeaderOptions', 'Content-Type', 'application/merge-patch+json')
      const patched = await call(client, 'patchNamespacedSecret', { namespace, name: 'key', body: change }, options)
      shows(patched, { metadata: { name: 'key', labels: { app: 'x' } }, type: 'Opaque' })
    })
    await steps.take('ConfigMap: apart for each namespace', async () => {
      const body = { metadata: { name: 'only' } }
      await call(client, 'createNamespacedConfigMap', { namespace: 'first', body })
      const listed = at(await call(client, 'listNamespacedConfigMap', { namespace: 'second' }), 'items')
      assert.ok(Array.isArray(listed) && !listed.some((each) => at(each, 'metadata.name') === 'only'))
    })
    steps.leaveOut('ConfigMap: watch', 'the contract declares a list, the client reads an event a line')
  },
}
