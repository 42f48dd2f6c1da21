import { type Keyword, type Keywords, type Kind } from './keyword.ts'

export const components: Keywords = {
  ...section('schemas', 'schema'),
  ...section('responses', 'response'),
  ...section('parameters', 'parameter'),
  ...section('examples', 'example', { isShown: true }),
  ...section('requestBodies', 'requestBody'),
  ...section('headers', 'header'),
  ...section('securitySchemes', 'securityScheme'),
  ...section('callbacks', 'callback', { isShown: true }),
  ...section('links', 'link', { isShown: true }),
  ...section('pathItems', 'pathItem', { isShown: true }),
  // They are checked where they are used, as content of requests or of responses.
  mediaTypes: {},
}

function section(name: string, kind: Kind, more: Keyword = {}): Keywords {
  return {
    [name]: {
      holds: { each: kind },
      ...more,
    },
  }
}
