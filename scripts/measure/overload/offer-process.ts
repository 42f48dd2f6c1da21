import { type Offer, offerLoad } from './offer-load.ts'

process.once('message', (offer) => {
  // offer-load.ts is the only sender, and sends nothing else.
  void offerLoad(offer as Offer).then((result) => {
    process.send?.(result)
    process.disconnect()
  })
})
