import { type Flood, openFlood } from '../../test/support/client/load.ts'

/** Sends a flood from a process of its own: a job comes in, `ready` goes out, a message starts it, its result goes out. */
process.once('message', (flood: Flood) => {
  void openFlood(flood).then((send) => {
    process.once('message', () => {
      void send().then((responses) => {
        process.send?.(responses)
        process.disconnect()
      })
    })
    process.send?.('ready')
  })
})
