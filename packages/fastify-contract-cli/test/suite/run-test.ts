import { type IncomingMessage, type RequestListener, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { folderWith } from '../contracts.ts'
import { runHere } from '../run-here.ts'

/** Starts a server that ends with the test. @returns its URL */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // It listens on a port.
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
}

/** Starts a server that reads each request before it answers. */
export function answer(
  reply: (request: IncomingMessage, body: Buffer) => [status: number, text?: string, type?: string],
) {
  return listen((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      const [status, text, type] = reply(request, Buffer.concat(chunks))
      response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(text)
    })
  })
}

/** Runs `fastify-contract test`. @returns what it prints, and its exit code */
export async function runTest(folder: string, args: string[]): Promise<{ code: number; lines: string[] }> {
  const { code, stdout, stderr } = await runHere(folder, ['test', ...args])
  return { code, lines: `${stdout}${stderr}`.split('\n').slice(0, -1) }
}

/** Runs `fastify-contract test` with a contract. */
export async function runTestOf(document: object, args: string[]): Promise<{ code: number; lines: string[] }> {
  return runTest(await folderWith({ 'openapi.json': document }), ['openapi.json', ...args])
}
