// Loaded into a server before its own code, with --expose-gc: at SIGUSR2 it collects garbage and prints the bytes that
// are still held.
process.on('SIGUSR2', () => {
  if (globalThis.gc === undefined) throw new Error('run this with --expose-gc')
  // The memory of buffers is freed beside the collector; the second run waits for what the first one has begun.
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  // Text that waits in a socket is in `arrayBuffers` alone.
  process.stdout.write(`held ${String(heapUsed + Math.max(external, arrayBuffers))}\n`)
})
