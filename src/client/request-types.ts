/** The parameters of an operation of `generated/openapi.ts` in one place: `path`, `query` or `header`. */
export type ParametersIn<Operation, Place extends string> = Operation extends {
  parameters: { [In in Place]?: infer Parameters }
}
  ? [NonNullable<Parameters>] extends [never]
    ? Record<never, never>
    : NonNullable<Parameters>
  : never

/** The JSON body of an operation's request: `undefined` where it takes none, among others where it is optional. */
export type BodyIn<Operation> = Operation extends { requestBody: infer Request }
  ? BodyOf<Request>
  : Operation extends { requestBody?: infer Request }
    ? [NonNullable<Request>] extends [never]
      ? undefined
      : BodyOf<NonNullable<Request>> | undefined
    : undefined

type BodyOf<Message> = Message extends { content: Record<'application/json', infer Body> } ? Body : never
