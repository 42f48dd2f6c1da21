import { once } from 'node:events'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { type Server, type Socket, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServerProcess } from '../../scripts/develop/dev/server-process.ts'
import { type Saved, watchProject } from '../../scripts/develop/dev/watch-project.ts'
import { temporaryFolder } from '../support/server/start-app.ts'

describe('the watcher of `npm run dev`', () => {
  test('sees each save, also where a file or a folder takes the place of another', async () => {
    const root = await temporaryFolder()
    const [source, contract] = [join(root, 'src/a/b.ts'), join(root, 'openapi.yaml')]
    await mkdir(join(root, 'src/a'), { recursive: true })
    await writeFile(source, '')
    await writeFile(contract, '')
    const next = watch(root)
    expect(await next()).toEqual({ contract: true })

    for (let time = 0; time < 3; time++) {
      await replaceFile(source)
      expect(await next()).toEqual({ contract: false })
    }
    await writeFile(source, 'written in place')
    expect(await next()).toEqual({ contract: false })
    await replaceFile(contract)
    expect(await next()).toEqual({ contract: true })

    await mkdir(join(root, 'src/new/below'), { recursive: true })
    expect(await next()).toEqual({ contract: false })
    await writeFile(join(root, 'src/new/below/c.ts'), '')
    expect(await next()).toEqual({ contract: false })

    await mkdir(join(root, 'a'))
    await writeFile(join(root, 'a/b.ts'), 'of another folder')
    await rm(join(root, 'src/a'), { recursive: true })
    expect(await next()).toEqual({ contract: false })
    await rename(join(root, 'a'), join(root, 'src/a'))
    expect(await next()).toEqual({ contract: false })
    await replaceFile(source)
    expect(await next()).toEqual({ contract: false })
  })

  test('sees each save of the files that the contract refers to, also where one is gone, and comes back', async () => {
    const root = await temporaryFolder()
    await mkdir(join(root, 'src'))
    await mkdir(join(root, 'schemas/deep'), { recursive: true })
    const [known, deep, later] = ['parameters.yaml', 'schemas/deep/a.yaml', 'none/b.yaml']
    for (const file of [known, deep]) await writeFile(join(root, file), '')
    const next = watch(root, [known, deep, later])
    expect(await next()).toEqual({ contract: true })

    for (const file of [known, deep]) {
      await replaceFile(join(root, file))
      expect(await next()).toEqual({ contract: true })
      await rm(join(root, file))
      expect(await next()).toEqual({ contract: true })
      await writeFile(join(root, file), 'back')
      expect(await next()).toEqual({ contract: true })
    }
    await mkdir(join(root, 'none'))
    expect(await next()).toEqual({ contract: true })
    await writeFile(join(root, later), 'new')
    expect(await next()).toEqual({ contract: true })

    await rename(join(root, 'schemas'), join(root, 'other'))
    expect(await next()).toEqual({ contract: true })
    await rename(join(root, 'other'), join(root, 'schemas'))
    expect(await next()).toEqual({ contract: true })
    await writeFile(join(root, 'unrelated.yaml'), '')
    await replaceFile(join(root, deep))
    expect(await next()).toEqual({ contract: true })
  })

  test('keeps what is saved while the save before it is handled', async () => {
    const root = await temporaryFolder()
    await mkdir(join(root, 'src'))
    const handled = Promise.withResolvers<undefined>()
    const begun = Promise.withResolvers<undefined>()
    const seen: Saved[] = []
    const both = Promise.withResolvers<undefined>()
    const stop = watchProject(root, async (saved) => {
      seen.push(saved)
      if (seen.length === 2) both.resolve(undefined)
      begun.resolve(undefined)
      await handled.promise
    })
    onTestFinished(stop)
    await begun.promise
    await writeFile(join(root, 'openapi.yaml'), '')
    await writeFile(join(root, 'src/a.ts'), '')
    handled.resolve(undefined)
    await both.promise
    expect(seen).toEqual([{ contract: true }, { contract: true }])
  })
})

test('a server of `npm run dev` that is stopped while it starts anew leaves no process behind', async () => {
  const root = await temporaryFolder()
  await mkdir(join(root, 'src'))
  // Each server connects here; its connection ends with it.
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => void listener.close())
  const { port } = listener.address() as { port: number }
  await writeFile(
    join(root, 'src/main.ts'),
    `import { connect } from 'node:net'; connect(${String(port)}, '127.0.0.1')`,
  )
  const said: string[] = []
  const server = createServerProcess(root, (line) => said.push(line))

  await server.restart()
  const first = await nextConnection(listener)
  const restarted = server.restart()
  const stopped = server.stop()
  await Promise.all([restarted, stopped])
  expect(server.isRunning()).toBe(false)
  await first.closed
  expect(said).toEqual([])
})

async function nextConnection(listener: Server): Promise<{ closed: Promise<unknown> }> {
  const [socket] = (await once(listener, 'connection')) as [Socket]
  socket.on('error', () => undefined).resume()
  return { closed: once(socket, 'close') }
}

/** Watches a folder. @returns what waits for the next save */
function watch(root: string, referred: string[] = []): () => Promise<Saved> {
  const saves: Saved[] = []
  let wake: () => void = () => undefined
  const stop = watchProject(root, (saved, followContract) => {
    followContract(referred)
    saves.push(saved)
    wake()
    return Promise.resolve()
  })
  onTestFinished(stop)
  return async () => {
    if (saves.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return saves.shift()!
  }
}

/** Saves as many editors do. */
async function replaceFile(file: string): Promise<void> {
  await writeFile(`${file}~`, '')
  await rename(`${file}~`, file)
}
