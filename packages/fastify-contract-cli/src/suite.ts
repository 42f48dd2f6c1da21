/** The contract suite: tests that a server keeps its contract. */
export type { Send } from './suite/cases.ts'
export { type SentRequest, type TestedContract, operationNamed, readContract } from './suite/contract.ts'
export type { Coverage } from './suite/coverage.ts'
export { type Credentials, wantsCredentials } from './suite/credentials.ts'
export { canonical, parseExactly } from './suite/exact-json.ts'
export { type Fault, type RefusalName, type Stage, faultsOf } from './suite/faults.ts'
export { flatten } from './suite/flat-schema.ts'
export type { Expectation, Judge } from './suite/judge.ts'
export { type ContractRequest, type RequestParts, partsOf, validRequest, written } from './suite/requests.ts'
export { type ReceivedResponse, type ResponseRules, assertKeepsContract } from './suite/response-checks.ts'
export { type Connections, type Exchange, type WireRequest, connectTo } from './suite/send.ts'
export {
  type Case,
  type ContractSuite,
  type Result,
  type SuiteOptions,
  createContractSuite,
  test,
} from './suite/suite.ts'
