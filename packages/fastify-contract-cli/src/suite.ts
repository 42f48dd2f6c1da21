/** The contract suite: tests that a server keeps its contract. */
export type { Send } from './suite/test-case.ts'
export {
  type CheckKind,
  type SentRequest,
  type TestedContract,
  operationNamed,
  readContract,
} from './suite/contract.ts'
export type { Coverage } from './suite/coverage.ts'
export { credentialsOf, wantsCredentials } from './suite/credentials.ts'
export { type Credentials } from './suite/contract-request.ts'
export { canonical, parseExactly } from './suite/exact-json.ts'
export { type Expectation, type FaultKind, Fault, Unjudged } from './suite/fault.ts'
export { type Judge } from './suite/judge.ts'
export { flatten } from './suite/flat-schema.ts'
export { type LeftOutCause, LeftOut } from './suite/left-out.ts'
export { malformedRequestsOf } from './suite/malformed-requests.ts'
export type { RefusalName, Stage } from './suite/refusals.ts'
export { type RequestParts, partsOf, validRequest, written } from './suite/requests.ts'
export type { ContractRequest } from './suite/contract-request.ts'
export { type ResponseRules, assertKeepsContract } from './suite/response-checks.ts'
export type { ReceivedResponse } from './suite/exchange.ts'
export { type TestOptions, type TestRun, test } from './suite/run.ts'
export { type App, type Connections, connectTo } from './suite/send.ts'
export type { Exchange, WireRequest } from './suite/exchange.ts'
export { type Case, type ContractSuite, type Result, type SuiteOptions, createContractSuite } from './suite/suite.ts'
export { NoGenerator } from './suite/no-generator.ts'
