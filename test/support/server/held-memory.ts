// Loaded before a server's own code, with --expose-gc. At SIGUSR2 it collects garbage and prints the bytes still held.
process.on('SIGUSR2', () => {
  if (globalThis.gc === undefined) throw new Error('run this with --expose-gc')
  // Buffers are freed concurrently; the second run waits for the first.
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  // Text that waits in a socket counts only in `arrayBuffers`.
  process.stdout.write(`held ${String(heapUsed + Math.max(external, arrayBuffers))}\n`)
})
