import { type Keywords, type Kind, shown } from '../rules/keyword.ts'

export const components: Keywords = {
  schemas: { holds: { each: 'schema' } },
  responses: { holds: { each: 'response' } },
  parameters: { holds: { each: 'parameter' } },
  requestBodies: { holds: { each: 'requestBody' } },
  headers: { holds: { each: 'header' } },
  securitySchemes: { holds: { each: 'securityScheme' } },
  ...shown('examples', { each: 'example' }),
  ...shown('callbacks', { each: 'callback' }),
  ...shown('links', { each: 'link' }),
  ...shown('pathItems', { each: 'pathItem' }),
  // They are checked where they are used, as content of requests or of responses.
  mediaTypes: {},
}

/** The section for the objects of a kind. */
export const sections: ReadonlyMap<Kind, string> = new Map([
  ...Object.entries(components).flatMap(([name, { holds }]): [Kind, string][] =>
    typeof holds === 'object' && 'each' in holds ? [[holds.each, name]] : [],
  ),
  ['requestContent', 'mediaTypes'],
  ['responseContent', 'mediaTypes'],
])
