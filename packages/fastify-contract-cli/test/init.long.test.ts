import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { declaredForm, writeFailureForm } from '../src/init/failure-form.ts'
import { init } from '../src/init/init.ts'
import { versions } from '../src/init/templates.ts'
import { readContract } from '../src/suite.ts'
import { folderWith, json } from './contracts.ts'
import { compile, linkPackages, repository, runHere, runPiped } from './run-here.ts'

const failure = {
  type: 'object',
  required: ['error', 'message', 'status'],
  properties: {
    status: { type: 'integer' },
    message: { type: 'string' },
    error: { type: 'object', required: ['code'], properties: { code: { type: 'integer' } } },
  },
}
const responses = {
  200: { description: 'Done.', content: json({ $ref: 'parts/thing.yaml' }) },
  default: { description: 'A failure.', content: json(failure) },
}
const shop = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1.0.0' },
  servers: [{ url: 'https://shop.example/v1' }, { url: '/v2' }],
  paths: {
    '/things': {
      get: {
        operationId: 'things.list',
        summary: 'Lists\nthings',
        security: [{ login: ['read'] }, { basic: [] }],
        responses,
      },
      post: { operationId: 'delete', security: [{ apiKey: [] }], responses },
    },
    '/open': { get: { operationId: 'open', security: [], responses } },
  },
  components: {
    securitySchemes: {
      login: { type: 'oauth2', flows: {} },
      basic: { type: 'http', scheme: 'basic' },
      apiKey: { type: 'apiKey', in: 'cookie', name: 'key' },
    },
  },
}
const parts = { 'api/parts/thing.yaml': 'type: object\nproperties: { id: { type: integer } }\n' }
const files = { 'api/shop.json': shop, ...parts }

/** Makes a service of the shop. */
async function makeService() {
  const root = await folderWith(files)
  const result = await init(root, 'api/shop.json', 'service')
  await linkPackages(root)
  return { root, service: join(root, 'service'), result }
}

test('a new service has the unchanged contract and a line for each operation', async () => {
  const { root, service, result } = await makeService()
  expect(result).toMatchObject({
    ok: true,
    lines: [
      /^wrote package\.json, /,
      /^next: cd service && cp (PATH\/fastify-contract(-cli)?-[\d.]+\.tgz ){2}vendor\/ && npm install && npm start$/,
      /^before npm start, set AUTH_LOGIN, AUTH_BASIC, AUTH_API_KEY to what callers must send$/,
      /^the packages are not in the npm registry yet; PATH is /,
    ].map((line) => expect.stringMatching(line) as string),
  })
  for (const file of ['shop.json', 'parts/thing.yaml']) {
    expect(await readFile(join(service, file), 'utf8')).toBe(await readFile(join(root, 'api', file), 'utf8'))
  }
  expect(await readFile(join(service, 'src/handlers.ts'), 'utf8')).toContain(`
  'things.list': notImplemented, // GET /things: Lists things
  delete: notImplemented, // POST /things
  open: notImplemented, // GET /open
}`)
  expect(JSON.parse(await readFile(join(service, 'package.json'), 'utf8'))).toMatchObject({
    name: 'service',
    scripts: { generate: 'fastify-contract generate --contract shop.json --strict', start: 'exec node src/server.ts' },
  })
})

test('a new service type-checks and responds 501 in the form of its contract', async () => {
  const { service } = await makeService()
  const table = await readFile(join(service, 'src/handlers.ts'), 'utf8')
  const error = (message: string) => `{ status: 404, message: \`${message}\`, error: { code: 1 } }`
  const examples = [...table.matchAll(/^ \* {5}(.*)$/gm)].map(([, line = '']) => line)
  expect(examples).toEqual([
    `'things.list': () => ({ status: 404, body: ${error('there is no such thing')} }),`,
    `'things.list': (_input, { auth }) => ({ status: 404, body: ${error('${auth.login?.user} has no such thing')} }),`,
  ])
  for (const [index, line] of examples.entries()) {
    const copied = table.replace(/^  'things\.list': .*$/m, () => line)
    await writeFile(join(service, `src/handlers-${String(index)}.ts`), copied)
  }
  expect(await compile(service)).toBe('')

  const { buildApp } = (await import(join(service, 'src/app.ts'))) as { buildApp: () => Promise<FastifyInstance> }
  const app = await buildApp()
  onTestFinished(() => app.close())
  const body = { status: 501, message: 'the operation is not implemented', error: { code: 1 } }
  expect((await app.inject('/v1/open')).json()).toEqual(body)
  process.env['AUTH_API_KEY'] = 'secret'
  onTestFinished(() => void delete process.env['AUTH_API_KEY'])
  for (const [cookie, status] of [
    ['key=secret', 501],
    ['key=other', 401],
    [undefined, 401],
  ] as const) {
    const headers = cookie === undefined ? {} : { cookie }
    expect((await app.inject({ method: 'POST', url: '/v1/things', headers })).statusCode).toBe(status)
  }
})

const secrets = { AUTH_LOGIN: 'secret', AUTH_BASIC: 'secret', AUTH_API_KEY: 'secret' }

/** Runs a file of a service, on a free port and with its secrets by default. */
function start(service: string, args: string[], env: Partial<Record<'PORT' | keyof typeof secrets, string>> = {}) {
  const child = spawn(process.execPath, args, { cwd: service, env: { ...process.env, PORT: '0', ...secrets, ...env } })
  let [out, err] = ['', '']
  child.stdout.on('data', (bytes) => (out += String(bytes)))
  child.stderr.on('data', (bytes) => (err += String(bytes)))
  const exit = once(child, 'exit').then(([code]) => ({ code: code as unknown, out, err }))
  onTestFinished(async () => {
    // SIGKILL would leave the server that src/dev.ts has started.
    child.kill('SIGTERM')
    await exit
  })
  const printed = () => out + err
  const prints = (text: RegExp) => expect.poll(printed).toMatch(text)
  return { child, exit, prints, printed }
}

test('a new service prints its addresses, and stops on SIGTERM', async () => {
  const { service } = await makeService()
  const { child, exit, prints } = start(service, ['src/server.ts'])
  await prints(/^Docs .*\n/m)
  child.kill('SIGTERM')
  const { code, out, err } = await exit
  expect(out.replaceAll(/(?<=:)\d+/g, 'PORT')).toBe(
    'Service  http://127.0.0.1:PORT/v1, http://127.0.0.1:PORT/v2\nDocs     http://127.0.0.1:PORT/docs\n',
  )
  expect([code, err]).toEqual([0, ''])
})

test.each(['', ' '])('a new service does not start with the secret %j', async (secret) => {
  const { service } = await makeService()
  expect(await start(service, ['src/server.ts'], { AUTH_LOGIN: secret, AUTH_API_KEY: secret }).exit).toEqual({
    code: 1,
    out: '',
    err: 'not set: AUTH_LOGIN (a token), AUTH_API_KEY (a key); set what callers must send, or write your own check in src/auth.ts\n',
  })
})

test('no variable that a shell sets is a secret of a new service, and each scheme has one of its own', async () => {
  const names = ['user', 'HOME', 'api-key', 'api_key', 'apiKey', 'api_key_2', 'ключ']
  const securitySchemes = Object.fromEntries(names.map((name) => [name, { type: 'http', scheme: 'bearer' }]))
  const paths = Object.fromEntries(
    names.map((name, index) => [`/${String(index)}`, { get: { security: [{ [name]: [] }], responses } }]),
  )
  const contract = { ...shop, servers: [{ url: '/' }], paths, components: { securitySchemes } }
  const root = await folderWith({ 'api/shop.json': contract, ...parts })
  await init(root, 'api/shop.json', 'service')
  await linkPackages(root)
  const { buildApp } = (await import(join(root, 'service/src/app.ts'))) as { buildApp: () => Promise<FastifyInstance> }
  const app = await buildApp()
  onTestFinished(() => app.close())
  const statuses = (secret: string) =>
    Promise.all(
      names.map(async (_name, index) => {
        const headers = { authorization: `Bearer ${secret}` }
        return (await app.inject({ url: `/${String(index)}`, headers })).statusCode
      }),
    )
  const shell = Object.values(process.env).filter((value) => value !== undefined && /^[\w./-]+$/.test(value))
  for (const value of shell) expect(new Set(await statuses(String(value)))).toEqual(new Set([401]))
  const auth = await readFile(join(root, 'service/src/auth.ts'), 'utf8')
  const variables = new Set(auth.match(/AUTH_\w+/g))
  expect(variables.size).toBe(names.length)
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const [index, variable] of [...variables].entries()) vi.stubEnv(variable, `secret-${String(index)}`)
  for (const [index] of names.entries())
    expect(await statuses(`secret-${String(index)}`)).toEqual(names.map((_name, at) => (at === index ? 501 : 401)))
})

test('npm start leaves no server behind when npm is ended', async () => {
  const { service } = await makeService()
  const npm = spawn('npm', ['start'], { cwd: service, env: { ...process.env, PORT: '0', ...secrets } })
  onTestFinished(() => void npm.kill())
  let out = ''
  npm.stdout.on('data', (bytes) => (out += String(bytes)))
  await expect.poll(() => out).toMatch(/^Docs .*\n/m)
  const [page = ''] = /(?<=^Docs +)\S+/m.exec(out) ?? []
  npm.kill('SIGTERM')
  await expect.poll(() => fetch(page).catch(() => 'gone')).toBe('gone')
})

test('a service of a contract with warnings generates without --strict', async () => {
  const root = await folderWith({ 'api/shop.json': { ...shop, paths: { '/open': { get: { responses } } } }, ...parts })
  expect((await init(root, 'api/shop.json', 'service')).lines[0]).toContain('security')
  expect(JSON.parse(await readFile(join(root, 'service/package.json'), 'utf8'))).toMatchObject({
    scripts: { generate: 'fastify-contract generate --contract shop.json' },
  })
})

test('a failed start prints one line', async () => {
  const { service } = await makeService()
  const busy = createServer().listen(0, 'localhost')
  onTestFinished(() => void busy.close())
  await once(busy, 'listening')
  // It listens on a port.
  const { port } = busy.address() as AddressInfo
  const failed = async (PORT: string) => (await start(service, ['src/server.ts'], { PORT }).exit).err
  expect(await failed('abc')).toBe('port abc cannot be used (ERR_SOCKET_BAD_PORT); set PORT to another\n')
  expect(await failed(String(port))).toBe(`port ${String(port)} cannot be used (EADDRINUSE); set PORT to another\n`)
  await appendFile(join(service, 'shop.json'), '\n')
  expect(await start(service, ['src/server.ts']).exit).toEqual({
    code: 1,
    out: '',
    err: 'generated/ does not match shop.json; run npx fastify-contract generate --contract shop.json\n',
  })
})

/** Runs the script `dev` of a service. */
async function startDev(service: string) {
  const manifest = await readFile(join(service, 'package.json'), 'utf8')
  const [, args = ''] = /"dev": "(?:exec )?node (.*)"/.exec(manifest) ?? []
  return start(service, args.split(' '))
}

test('npm run dev has the mock answer until a handler is written', async () => {
  const { service } = await makeService()
  const { prints, printed } = await startDev(service)
  await prints(/^Docs [^]*^the mock answers things\.list, delete, open, because the handler is notImplemented$/m)
  const [, origin = ''] = /^Service +([^/]+\/\/[^/]+)/m.exec(printed()) ?? []
  const send = async (cookie: string) => {
    const response = await fetch(`${origin}/v1/things`, { method: 'POST', headers: { cookie } })
    return [response.status, await response.json()]
  }
  expect(await send('key=secret')).toEqual([200, { id: expect.any(Number) as number }])
  expect(await send('key=other')).toMatchObject([401, {}])

  const table = await readFile(join(service, 'src/handlers.ts'), 'utf8')
  const written = table.replace('delete: notImplemented', 'delete: () => ({ status: 200, body: { id: -54 } })')
  await writeFile(join(service, 'src/handlers.ts'), written)
  await prints(/^the mock answers things\.list, open, because /m)
})

test('npm run dev serves each save of the contract and of the code', async () => {
  const { service } = await makeService()
  const { child, exit, prints, printed } = await startDev(service)
  /** Saves as many editors do: it writes a new file and renames it. */
  const save = async (file: string, text: string) => {
    await writeFile(join(service, `${file}~`), text)
    await rename(join(service, `${file}~`), join(service, file))
  }
  let read = 0
  const nextOrigin = async () => {
    const place = /^Service +([^/]+\/\/[^/]+)[^]*^Docs .*\n/m
    await expect.poll(() => printed().slice(read)).toMatch(place)
    const [text = '', origin = ''] = place.exec(printed().slice(read)) ?? []
    read = printed().indexOf(text, read) + text.length
    return origin
  }
  await nextOrigin()
  const contract = await readFile(join(service, 'shop.json'), 'utf8')
  for (const title of ['First', 'Second', 'Third']) {
    await save('shop.json', contract.replace('"Shop"', `"${title}"`))
    expect(await (await fetch(`${await nextOrigin()}/openapi.json`)).text()).toContain(title)
  }
  await save('parts/thing.yaml', 'type: [')
  await prints(/^generated\/ is unchanged$/m)
  await save('parts/thing.yaml', 'type: object\n')
  await nextOrigin()
  const components = { ...shop.components, schemas: { Extra: { $ref: 'more/extra.yaml' } } }
  await save('shop.json', JSON.stringify({ ...shop, components }))
  await prints(/more\/extra\.yaml leads to nothing/)
  await mkdir(join(service, 'more'))
  for (const text of ['once', 'twice']) {
    await save('more/extra.yaml', `type: string\ndescription: written ${text}\n`)
    expect(await (await fetch(`${await nextOrigin()}/openapi.json`)).text()).toContain(`written ${text}`)
  }
  const table = await readFile(join(service, 'src/handlers.ts'), 'utf8')
  await mkdir(join(service, 'src/things'))
  let origin = ''
  for (const id of [1, 2]) {
    await save(
      'src/things/open.ts',
      `export const open = () => ({ status: 200, body: { id: ${String(id)} } }) as const`,
    )
    if (id === 1) {
      await save(
        'src/handlers.ts',
        `import { open } from './things/open.ts'\n${table.replace('open: notImplemented', 'open')}`,
      )
    }
    origin = await nextOrigin()
    expect(await (await fetch(`${origin}/v1/open`)).json()).toEqual({ id })
  }
  child.kill('SIGTERM')
  await exit
  await expect(fetch(origin)).rejects.toThrow()
})

test('npm run dev prints type errors until they are gone, and ends with all that it has started', async () => {
  const { service } = await makeService()
  // In a group of its own, as a shell has it: Ctrl-C reaches the whole group.
  const npm = spawn('npm', ['run', 'dev'], { cwd: service, env: { ...process.env, PORT: '0' }, detached: true })
  // There is a pid unless npm is missing.
  const group = -npm.pid!
  const isRunning = () => {
    try {
      return process.kill(group, 0)
    } catch {
      return false
    }
  }
  onTestFinished(() => void (isRunning() && process.kill(group, 'SIGKILL')))
  let out = ''
  npm.stdout.on('data', (bytes) => (out += String(bytes)))
  const printsNext = async (text: RegExp) => {
    await expect.poll(() => out).toMatch(text)
    out = ''
  }
  await printsNext(/Found 0 errors/)
  const handlers = await readFile(join(service, 'src/handlers.ts'), 'utf8')
  for (const [file, text] of [
    ['src/handlers.ts', handlers.replace('open: notImplemented', 'open: () => ({ status: 299 })')],
    ['src/new.ts', "export const limit: number = 'many'\n"],
  ] as const) {
    await writeFile(join(service, file), text)
    await printsNext(new RegExp(`${file}[^]*error[^]*TS2322[^]*Found 1 error`))
    await writeFile(join(service, file), handlers)
    await printsNext(/Found 0 errors/)
  }
  process.kill(group, 'SIGINT')
  await expect.poll(isRunning).toBe(false)
})

/** Runs the test of a service. @returns its report */
async function report(service: string, reporter: 'tap' | 'junit'): Promise<string> {
  const args = ['--test', `--test-reporter=${reporter}`]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: service }).catch(
    (error: unknown) => error as { stdout: string },
  )
  return stdout
}

test('the test of a new service skips missing handlers and finds faults', async () => {
  const { service } = await makeService()
  const run = () => report(service, 'tap')
  expect(await run()).toMatch(/# SKIP not implemented: [^]*^# fail 0\n/m)
  const table = await readFile(join(service, 'src/handlers.ts'), 'utf8')
  const write = (handler: string) =>
    writeFile(join(service, 'src/handlers.ts'), table.replace('open: notImplemented', `open: ${handler}`))
  await write('() => ({ status: 200, body: { id: 1 } })')
  expect(await run()).toMatch(/^ +ok \d+ - open accepts valid requests\n[^]*^# fail 0\n/m)
  await write("() => ({ status: 200, body: { id: 'a' } }) as never")
  expect(await run()).toMatch(/^# fail [1-9]/m)
})

// https://www.w3.org/TR/xml/#charsets. A lone surrogate cannot be encoded.
test('the report of a new service has the characters of XML alone', async () => {
  const odd = '\u0000\u001b[31m\ufffe'
  const parameters = [{ in: 'query', name: odd, schema: { type: 'integer' } }]
  const contract = { ...shop, paths: { '/open': { get: { operationId: 'open', parameters, responses } } } }
  const root = await folderWith({ 'api/shop.json': contract, ...parts })
  await init(root, 'api/shop.json', 'service')
  await linkPackages(root)
  const file = join(root, 'service/src/handlers.ts')
  const handler = `() => { throw new Error(${JSON.stringify(odd)}) },`
  await writeFile(file, (await readFile(file, 'utf8')).replace('notImplemented,', handler))
  const xml = await report(join(root, 'service'), 'junit')
  expect(xml).toContain('<testcase name="open refuses query/')
  expect(xml).toMatch(/<failure [^>]*the server says: Error: /)
  expect(xml).toMatch(/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u)
})

test('a folder with files is left unchanged', async () => {
  const root = await folderWith({ ...files, 'service/a.txt': 'mine' })
  expect(await init(root, 'api/shop.json', 'service')).toEqual({
    ok: false,
    lines: ['service is not empty; choose another folder'],
  })
  expect(await readdir(join(root, 'service'))).toEqual(['a.txt'])
})

test.each<[string, string, (root: string) => Promise<void>, string]>([
  ['is a file', 'service', (root) => writeFile(join(root, 'service'), 'mine'), 'service is not a folder'],
  ['is a file of a package', 'package.json', () => Promise.resolve(), 'package.json is not a folder'],
  ['is below a file', 'package.json/a', () => Promise.resolve(), 'package.json/a is not a folder'],
  [
    'is a link to nothing',
    'service',
    (root) => symlink('nothing', join(root, 'service')),
    'service is a link to nothing',
  ],
  [
    'is below a link to nothing',
    'link/a',
    (root) => symlink('nothing', join(root, 'link')),
    'link/a cannot be written (ENOTDIR)',
  ],
  [
    'is a link to itself',
    'service',
    (root) => symlink('service', join(root, 'service')),
    'service cannot be read (ELOOP)',
  ],
])('a folder that %s is refused, and nothing changes', async (_what, folder, prepare, reason) => {
  const root = await folderWith({ ...files, 'package.json': { name: 'mine' } })
  await prepare(root)
  const before = await readdir(root, { recursive: true })
  const refusal = { code: 1, stderr: `${reason}; choose another folder\n` }
  expect(await runHere(root, ['init', 'api/shop.json', folder])).toMatchObject(refusal)
  expect(await readdir(root, { recursive: true })).toEqual(before)
  expect(await readFile(join(root, 'package.json'), 'utf8')).toContain('"mine"')
})

test('a folder that cannot be written completely is left as it was', async () => {
  const root = await folderWith(files)
  await mkdir(join(root, 'empty'))
  for (const folder of ['empty', 'new/service']) {
    // No file may have more than a kilobyte.
    const refusal = { code: 1, stderr: `${folder} cannot be written (EFBIG); choose another folder\n` }
    const args = ['init', 'api/shop.json', folder]
    expect(await runPiped(root, args, { before: 'ulimit -f 1;' })).toMatchObject(refusal)
    expect((await readdir(root, { recursive: true })).toSorted()).toEqual([
      ...['api', 'api/parts', 'api/parts/thing.yaml', 'api/shop.json', 'empty'],
    ])
  }
})

test.each(['package.json', 'tsconfig.json', 'generated', 'SRC', 'vendor', '.github'])(
  'a contract that has the name of a file of the service is refused: %s',
  async (name) => {
    const root = await folderWith({ [`api/${name}`]: { ...shop, paths: { '/open': { get: {} } } } })
    expect(await init(root, `api/${name}`, 'service')).toEqual({
      ok: false,
      lines: [`${name}: the new service has a file of this name; rename it`, 'service is not written'],
    })
    expect(await readdir(root)).toEqual(['api'])
  },
)

test('a refused contract makes no folder', async () => {
  const root = await folderWith({ 'openapi.yaml': 'openapi: 3.1.0\n' })
  const { ok, lines } = await init(root, 'openapi.yaml', 'service')
  expect([ok, lines.at(-1)]).toEqual([false, 'service is not written'])
  expect(await readdir(root)).toEqual(['openapi.yaml'])
})

test('a new service installs the versions of this repository', async () => {
  // The file has these members.
  const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as typeof versions
  expect(manifest.dependencies).toMatchObject(versions.dependencies)
  expect(manifest.devDependencies).toMatchObject(versions.devDependencies)
})

const text = { type: 'string' }

/** Writes the form of the failures of a contract whose one operation has these responses. */
function formOf(responses: object): string | undefined {
  const contract = readContract({ paths: { '/': { get: { operationId: 'get', responses } } } })
  const source = { ...contract, direction: 'response' } as const
  const form = declaredForm(contract.operations, source)
  return form && writeFailureForm(form, source)
}

const withoutReason = '// No member tells `message`, the reason: say where it belongs.'
test.each<[string, object, boolean]>([
  ["{ code: 'text', detail: message }", { properties: { code: text, detail: text } }, true],
  ['{ status, message }', { properties: { status: { type: 'integer' }, message: text } }, true],
  ['{ message }', { allOf: [{ properties: { message: text } }, { properties: { message: { minLength: 1 } } }] }, true],
  ["{ status: 400, name: 'text' }", { properties: { status: { enum: [400, 404] }, name: text } }, false],
  ["{ message: 'no', detail: 'no' }", { properties: { message: { const: 'no' }, detail: { enum: ['no'] } } }, false],
  ["{ message: 'a' }", { properties: { message: { ...text, pattern: '^a$' } } }, false],
  ['{ detail: [message] }', { properties: { detail: { type: 'array', items: text } } }, true],
  ['{ error: { message } }', { properties: { error: { properties: { message: text } } } }, true],
  [
    '{ id: 9007199254740993n }',
    { properties: { id: { format: 'int64', const: 9007199254740993n, type: 'integer' } } },
    false,
  ],
  ['message', { type: 'string' }, true],
])('a failure is written as %s', (body, schema, isTold) => {
  const form = formOf({ 400: { description: 'A failure.', content: json({ type: 'object', ...schema }) } })
  expect(form).toContain(`  body: ${body},\n`)
  expect(form?.includes(withoutReason)).toBe(!isTold)
})

test.each([
  ['no JSON', { 400: { description: 'A failure.' } }],
  ['RFC 9457', { 400: { description: 'A failure.', content: { 'application/problem+json': {} } } }],
  ['no known value', { 400: { description: 'A failure.', content: json({ type: 'string', not: {} }) } }],
])('a contract whose failures have %s needs no form', (_what, responses) => {
  expect(formOf(responses)).toBeUndefined()
})
