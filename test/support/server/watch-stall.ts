import { writeFileSync } from 'node:fs'

// Node loads this into a measured server by `--import`. It writes the most CPU time, in milliseconds, that the process has
// used between two of its own timers, into STALL_FILE. SIGUSR2 starts anew.
const file = process.env['STALL_FILE']
if (file !== undefined) {
  let longest = 0
  let before = process.cpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    const milliseconds = (user + system) / 1_000
    if (milliseconds <= longest) return
    longest = milliseconds
    writeFileSync(file, String(longest))
  }, 10)
  timer.unref()
  process.on('SIGUSR2', () => {
    longest = 0
    before = process.cpuUsage()
  })
}
