/** A server of a contract without handlers. */
export { type MockOptions, type MockSettings, createMock, mockHandlers, withMock } from './mock/mock.ts'
