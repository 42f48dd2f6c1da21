/**
 * The part of Swagger UI that the plugin below uses
 * (https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/).
 */
interface SwaggerUiSystem {
  fn: { getSampleSchema: GetSampleSchema }
}

type GetSampleSchema = (schema: unknown, mediaType: string, config: unknown, example: unknown) => unknown

/**
 * A Swagger UI plugin that shows and prefills the contract's examples digit for digit. Without it Swagger UI reads the
 * contract with doubles: its example 9007199254740993 becomes …992, and "Execute" creates or deletes another plant
 * (swagger-api/swagger-ui#10049). In the page's own copy of the contract, each example with an integer beyond 2^53 is
 * therefore its JSON text, which is shown as it is. What a person types is sent as typed anyway.
 *
 * Its source text is sent to the browser, so it uses nothing from outside its own body.
 */
export function exactExamples(system: SwaggerUiSystem) {
  const { getSampleSchema } = system.fn
  const exactTexts = new Set<unknown>()

  return {
    statePlugins: {
      spec: {
        wrapActions: {
          parseToJson: (parse: (text: string) => unknown) => (text: string) => parse(withExactTexts(text)),
        },
      },
    },
    fn: {
      getSampleSchema: ((schema, mediaType, config, example) =>
        exactTexts.has(example)
          ? example
          : getSampleSchema(schema, mediaType, config, example)) satisfies GetSampleSchema,
    },
  }

  function withExactTexts(contract: string): string {
    // The types lack the standard's third argument. An old browser leaves it out, and rounds.
    const document: unknown = JSON.parse(contract, (_key, value: unknown, context?: { source?: string }) => {
      const source = context?.source ?? ''
      return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
        ? BigInt(source)
        : value
    })
    return JSON.stringify(withoutBigInts(document, []))
  }

  function withoutBigInts(node: unknown, path: string[]): unknown {
    const isExample =
      (path.at(-1) === 'example' && path.at(-2) !== 'properties') ||
      (path.at(-1) === 'value' && path.at(-3) === 'examples')
    if (typeof node === 'bigint' || (isExample && hasBigInt(node))) {
      const text = JSON.stringify(
        node,
        (_key, member: unknown) => (typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member),
        2,
      )
      exactTexts.add(text)
      return text
    }
    if (Array.isArray(node)) return node.map((item, index) => withoutBigInts(item, [...path, String(index)]))
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(
      Object.entries(node).map(([key, member]) => [key, withoutBigInts(member, [...path, key])]),
    )
  }

  function hasBigInt(node: unknown): boolean {
    return (
      typeof node === 'bigint' || (typeof node === 'object' && node !== null && Object.values(node).some(hasBigInt))
    )
  }
}
