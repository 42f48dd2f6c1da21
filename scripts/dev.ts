import { develop } from './dev/develop.ts'

const { close } = await develop('.', (line) => {
  console.log(`dev: ${line}`)
})
let closing: Promise<void> | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    closing ??= close()
  })
}
