import { buildApp } from './app.ts'

const app = await buildApp()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void app.close())
console.log(await app.listen({ port: Number(process.env['PORT'] ?? 3000) }))
