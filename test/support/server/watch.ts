import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { descriptorsOf, memoryOf, resetPeak } from './process-figures.ts'

/** Limits for a server process under attack. */
export interface Bounds {
  /** The longest that `GET /livez` may take. */
  livezMilliseconds: number
  /** The most that resident memory may grow. */
  growthMebibytes: number
  /** How many more descriptors may be open at the end, for example database connections. 0 by default. */
  moreDescriptors?: number
}

export interface Watch {
  /** Stops watching. @returns the figures, and a sentence for each exceeded limit */
  end: () => Promise<{ longestMilliseconds: number; growthMebibytes: number; problems: string[] }>
}

const pollMilliseconds = 50

/** How long the server may take to close the connections of the attack. */
const settleMilliseconds = 10_000

/** Watches a server process, which must be warm and idle at the call. */
export function watchServer(
  { port, pid }: { port: number; pid: number },
  { livezMilliseconds, growthMebibytes, moreDescriptors = 0 }: Bounds,
): Watch {
  const descriptors = descriptorsOf(pid).length + moreDescriptors
  const resident = memoryOf(pid, 'VmRSS')
  resetPeak(pid)
  const problems: string[] = []
  let longestMilliseconds = 0
  let hasEnded = false

  async function poll(): Promise<void> {
    while (!hasEnded) {
      const start = performance.now()
      try {
        await livez(port)
      } catch (error) {
        problems.push(`GET /livez failed: ${String(error)}`)
        return
      }
      longestMilliseconds = Math.max(longestMilliseconds, performance.now() - start)
      await delay(pollMilliseconds)
    }
  }
  const polling = poll()

  return {
    end: async () => {
      hasEnded = true
      await polling
      if (problems.length > 0) return { longestMilliseconds, growthMebibytes: 0, problems }
      if (longestMilliseconds > livezMilliseconds) problems.push(`GET /livez took ${longestMilliseconds.toFixed(0)} ms`)
      const growth = memoryOf(pid, 'VmHWM') - resident
      if (growth > growthMebibytes) problems.push(`resident memory grew by ${growth.toFixed(1)} MiB`)
      await waitUntilClosed(pid, descriptors)
      const left = descriptorsOf(pid)
      if (left.length > descriptors)
        problems.push(
          `${String(left.length)} descriptors are open, ${String(descriptors)} were at the start: ${left.join(' ')}`,
        )
      return { longestMilliseconds, growthMebibytes: growth, problems }
    },
  }
}

async function waitUntilClosed(pid: number, descriptors: number): Promise<void> {
  const deadline = performance.now() + settleMilliseconds
  while (descriptorsOf(pid).length > descriptors && performance.now() < deadline) await delay(pollMilliseconds)
}

function livez(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/livez', agent: false, timeout: 10_000 }, (response) => {
      response.resume()
      if (response.statusCode === 200) response.once('end', resolve)
      else reject(new Error(`status ${String(response.statusCode)}`))
    })
      .once('error', reject)
      .once('timeout', function (this: ReturnType<typeof get>) {
        this.destroy(new Error('no response for 10 s'))
      })
  })
}
