/** The contract suite: tests that a server keeps its contract. */
export type { Send } from './suite/state/test-case.ts'
export {
  type CheckKind,
  type SentRequest,
  type TestedContract,
  operationNamed,
  readContract,
} from './suite/ground/contract.ts'
export type { Coverage } from './suite/judge/coverage.ts'
export { credentialsOf, wantsCredentials } from './suite/write/credentials.ts'
export { canonical, parseExactly } from './suite/ground/exact-json.ts'
export { type Expectation, type FaultKind, Fault, Unjudged } from './suite/ground/fault.ts'
export { type Judge } from './suite/judge/judge.ts'
export { flatten } from './suite/draw/flat-schema.ts'
export { type LeftOutCause, LeftOut } from './suite/ground/left-out.ts'
export { malformedRequestsOf } from './suite/break/malformed-requests.ts'
export type { RefusalName, Stage } from './suite/ground/refusals.ts'
export type { RequestParts } from './suite/write/request-parts.ts'
export { partsOf, validRequest, written } from './suite/write/requests.ts'
export type { ContractRequest, Credentials } from './suite/ground/contract-request.ts'
export { type ResponseRules, assertKeepsContract } from './suite/judge/response-checks.ts'
export { type TestOptions, type TestRun, test } from './suite/run/run.ts'
export { type App, type Connections, connectTo } from './suite/send/send.ts'
export type { Exchange, ReceivedResponse, WireRequest } from './suite/ground/exchange.ts'
export type { Case } from './suite/run/case-runner.ts'
export type { Result } from './suite/run/result.ts'
export { type ContractSuite, type SuiteOptions, createContractSuite } from './suite/run/suite.ts'
export { NoGenerator } from './suite/ground/no-generator.ts'
