/** A server of a contract without handlers. */
export { type MockOptions, type MockSettings, createMock } from './mock/mock.ts'
