import { type IncomingMessage, type RequestListener, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { runTest } from '../../src/commands/test/test-command.ts'
import { folderWith } from '../contracts.ts'

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

/** Runs `fastify-contract test` with a contract. @returns what it prints, and its exit code */
export async function runTestOf(document: object, args: string[]): Promise<{ code: number; lines: string[] }> {
  const file = join(await folderWith({ 'openapi.json': document }), 'openapi.json')
  const lines: string[] = []
  const line = (text: string) => lines.push(text)
  const code = await runTest([file, ...args], { line, problem: line, progress: () => undefined })
  return { code, lines }
}
