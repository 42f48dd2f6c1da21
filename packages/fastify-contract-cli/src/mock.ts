/** A server of a contract without handlers. */
export { type MockSettings, createMock } from './mock/mock.ts'
