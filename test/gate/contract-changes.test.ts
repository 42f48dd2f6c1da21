import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { checkBreaking } from '../../packages/fastify-contract/src/gate/breaking/compare-with-release.ts'
import { compile } from './tools.ts'
import { generate } from '../../packages/fastify-contract/src/gate/generate/generate.ts'
import { type AppOptions, buildApp } from '../../src/app.ts'
import { createToken } from '../../src/auth/tokens.ts'
import { loadContract } from '../../packages/fastify-contract/src/document/load-contract.ts'
import { temporaryStore } from '../support/server/start-app.ts'
import { addGetPlant, copyReleasedProject, cut, replace } from './project-copy.ts'

/** Serves the contract and the handlers of a copy with the code of the project, and sends it requests as a caller. */
async function serveContractOf(root: string) {
  const store = await temporaryStore()
  // The path is known when the test runs; a copy has a table of handlers.
  const { handlers } = (await import(join(root, 'src/handlers.ts'))) as Pick<AppOptions, 'handlers'>
  const { text, stored } = createToken('me', Date.now())
  await store.addToken(stored)
  const app = await buildApp({
    contract: await loadContract(root),
    handlers,
    store,
    log: pino({ level: 'silent' }),
    rateLimit: undefined,
  })
  onTestFinished(() => app.close())
  return async (method: 'GET' | 'POST', url: string, body?: object) => {
    const { statusCode } = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${text}` },
      ...(body === undefined ? {} : { payload: body }),
    })
    return statusCode
  }
}

/** Starts the server of a copy as a process, up to the line that tells its address. */
async function startServer(root: string): Promise<{ origin: string; token: string }> {
  const server = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    server.kill()
    await once(server, 'exit')
  })
  let origin = ''
  for await (const line of createInterface({ input: server.stdout })) {
    origin = /^Plant Store\s+(\S+)/.exec(line)?.[1] ?? origin
    const token = /^Token\s+(\S+)/.exec(line)?.[1]
    if (token !== undefined) return { origin, token }
  }
  throw new Error('the server ended before it told its address')
}

test(
  'a new operation without a handler is named by the compiler and by the server, until its scaffold is there',
  { timeout: 60_000 },
  async () => {
    const { root, editContract } = await copyReleasedProject()
    await editContract(addGetPlant)
    const missing = (await generate(root, 'write')).lines.filter((line) => line.includes('has no handler'))
    expect(missing).toEqual([expect.stringMatching(/^operation getPlant /)])
    const refusal = expect(
      promisify(execFile)(process.execPath, ['src/main.ts'], { cwd: root, env: { ...process.env, PORT: '0' } }),
    ).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^plant-store: operation getPlant: has no handler.*\n$/) as string,
    })
    const types = await compile(root)
    expect(types.ok).toBe(false)
    expect(types.output).toMatch(/getPlant/)
    await refusal

    await generate(root, 'scaffold')
    expect(await compile(root)).toEqual({ ok: true, output: '' })
    const { origin, token } = await startServer(root)
    const response = await fetch(`${origin}/plants/54`, { headers: { authorization: `Bearer ${token}` } })
    expect([response.status, await response.json()]).toEqual([500, expect.objectContaining({ error: 50000 })])
    expect((await checkBreaking(root, undefined)).lines.at(-1)).toBe(
      'compared with 1.0.0: 0 breaking, 1 compatible, 0 editorial',
    )
  },
)

test(
  'an operation open to everybody is scaffolded without a caller, and a handler that acts for one no longer compiles',
  { timeout: 60_000 },
  async () => {
    const { root, editContract } = await copyReleasedProject()
    const open = (id: string) => replace(`operationId: ${id}\n`, `operationId: ${id}\n      security: []\n`)
    await editContract((text) => open('getPlant')(open('listPlants')(addGetPlant(text))))
    await generate(root, 'scaffold')
    const { ok, output } = await compile(root)
    expect(ok).toBe(false)
    expect(output).toMatch(/listPlants/)
    expect(output).toMatch(/caller/)
    expect(output).not.toMatch(/getPlant/)
  },
)

test(
  'a contract that gives the headers of failures other names compiles with the code that sends them',
  { timeout: 60_000 },
  async () => {
    const { root, editContract } = await copyReleasedProject()
    const configuration = join(root, 'tsconfig.json')
    await writeFile(
      configuration,
      (await readFile(configuration, 'utf8')).replace(
        /"include": \[.*\]/,
        '"include": ["src/contract.ts", "src/rate-limit"]',
      ),
    )
    await editContract((text) =>
      ['WWW-Authenticate', 'Retry-After', 'Allow'].reduce(
        (edited, name) =>
          edited
            .replaceAll(`'#/components/headers/${name}'`, `'#/components/headers/Own-${name}'`)
            .replace(new RegExp(`^    ${name}:$`, 'm'), `    Own-${name}:`),
        text,
      ),
    )
    expect(await generate(root, 'write')).toMatchObject({ ok: true })
    const types = await readFile(join(root, 'generated/openapi.ts'), 'utf8')
    expect(types).toMatch(/headers: \{\n[^}]*"Own-WWW-Authenticate"/)
    expect(await compile(root)).toMatchObject({ output: '' })
  },
)

test('a tightened name is refused by the service and breaks clients, with no line of code changed', async () => {
  const { root, editContract } = await copyReleasedProject()
  await editContract(replace('maxLength: 255', 'maxLength: 100'))
  await generate(root, 'write')
  const send = await serveContractOf(root)
  expect(await send('POST', '/plants', { id: 1, name: 'x'.repeat(100) })).toBe(200)
  expect(await send('POST', '/plants', { id: 2, name: 'x'.repeat(101) })).toBe(400)
  const { ok, lines } = await checkBreaking(root, undefined)
  expect(ok).toBe(false)
  expect(lines[0]).toMatch(/^breaking .*`maxLength` of `name` changed from '255' to '100'/)
})

test('an optional query parameter is taken and is safe for clients, with no line of code changed', async () => {
  const { root, editContract } = await copyReleasedProject()
  expect(await (await serveContractOf(root))('GET', '/plants?tag=indoor')).toBe(400)
  await editContract(
    replace(
      '        - name: limit\n',
      '        - name: tag\n          in: query\n          description: The type of the plants.\n' +
        '          schema:\n            type: string\n            maxLength: 5\n        - name: limit\n',
    ),
  )
  await generate(root, 'write')
  const send = await serveContractOf(root)
  expect(await send('GET', '/plants?tag=herbs')).toBe(200)
  expect(await send('GET', '/plants?tag=indoor')).toBe(400)
  expect(await checkBreaking(root, undefined)).toMatchObject({
    ok: true,
    lines: [expect.stringMatching(/^compatible .*GET \/plants, query parameter tag: added/), expect.anything()],
  })
})

test('a removed operation breaks clients, and its handler is named', async () => {
  const { root, editContract } = await copyReleasedProject()
  await editContract(cut('  /plants/{id}:\n', 'x-unmatched-responses'))
  const { ok, lines } = await generate(root, 'write')
  expect(ok).toBe(true)
  expect(lines.at(-1)).toMatch(/^src\/plants\/deletePlant\.ts: the contract has no operation deletePlant/)
  expect(await checkBreaking(root, undefined)).toMatchObject({
    ok: false,
    lines: [expect.stringMatching(/^breaking .*Path `\/plants\/\{id\}` was removed/), expect.anything()],
  })
})

test('a file that is cut in half is refused by every part that reads it, and generated/ stays as it was', async () => {
  const { root, editContract, readGenerated } = await copyReleasedProject()
  const before = await readGenerated()
  await editContract((text) => text.slice(0, text.length / 2))
  expect(await generate(root, 'write')).toMatchObject({ ok: false })
  expect(await checkBreaking(root, undefined)).toMatchObject({
    ok: false,
    lines: [expect.stringMatching(/^openapi\.yaml:\d+:\d+: /)],
  })
  expect(await readGenerated()).toEqual(before)
})

test('a limit that becomes required is refused when it is missing, and breaks clients', async () => {
  const { root, editContract } = await copyReleasedProject()
  await editContract(replace('          required: false', '          required: true'))
  await generate(root, 'write')
  const send = await serveContractOf(root)
  expect(await send('GET', '/plants')).toBe(400)
  expect(await send('GET', '/plants?limit=1')).toBe(200)
  expect(await checkBreaking(root, undefined)).toMatchObject({
    ok: false,
    lines: [expect.stringMatching(/^breaking .*`limit` query parameter became required/), expect.anything()],
  })
})
