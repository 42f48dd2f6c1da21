/** A server of a contract without handlers. */
export { type MockOptions, type MockSettings, createMock, mockHandlers, withMock } from './mock/mock.ts'
export { Sampler } from './mock/sample.ts'
export { NoValue } from './mock/scalars.ts'
