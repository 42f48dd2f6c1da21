/**
 * What is the same in every response. Nobody on the way keeps a plant, or takes a response for anything but its declared
 * media type (RFC 9111, section 5.2.2.5; fetch.spec.whatwg.org, "X-Content-Type-Options").
 */
export const constantHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const
