import type { Kind } from '../rules/keyword.ts'
import { mendBody } from './body.ts'
import { removeUnused } from './components.ts'
import { removeMisfits } from './constants.ts'
import {
  includeMediaType,
  mendMediaTypes,
  readAsValue,
  rejectOtherItems,
  removeBeside,
  removeEncoding,
} from './content.ts'
import type { Mending, ServedOperation, Verb } from './mending.ts'
import { addSchema, mendParameters, requireInPath, warnOfNone } from './parameters.ts'
import { mendPaths } from './paths.ts'
import { removeNull } from './remove-null.ts'
import { mendCounts, removeEmptyList, removeIdentifiers } from './schema.ts'
import { inheritSecurity, nameSchemes } from './security.ts'
import { mendOwnServers, mendServers } from './servers.ts'
import { mendStatuses, removeHeaders } from './responses.ts'
import { addNull, readAsBinary, removeBesideReference, upgradeBound, widenInteger } from './upgrade-schema.ts'

/** What mends the objects of each kind, in this order. */
export const verbs: Partial<Record<Kind, readonly Verb[]>> = {
  document: [
    ({ object }) => {
      if (!String(object['openapi']).startsWith('3.1.')) object['openapi'] = '3.1.0'
    },
    mendServers,
    mendPaths,
    nameSchemes,
  ],
  components: [removeUnused],
  pathItem: [
    ({ object }, mending) => {
      inheritSecurity(object, mending)
    },
  ],
  operation: [nameSchemes, ...[mendParameters, mendBody, mendStatuses].map(mendServed), mendOwnServers],
  parameter: [requireInPath, addSchema, removeNull],
  requestBody: [mendMediaTypes],
  requestContent: [includeMediaType, removeEncoding],
  responseContent: [includeMediaType],
  response: [removeHeaders, mendMediaTypes, rejectOtherItems],
  example: [
    removeBeside('serializedValue', 'value'),
    removeBeside('externalValue', 'serializedValue', 'value'),
    readAsValue,
  ],
  header: [warnOfNone, removeNull],
  schema: [
    removeBesideReference,
    removeEmptyList,
    removeMisfits('enum'),
    removeMisfits('const'),
    upgradeBound('exclusiveMinimum', 'minimum'),
    upgradeBound('exclusiveMaximum', 'maximum'),
    mendCounts,
    widenInteger,
    removeIdentifiers,
    readAsBinary,
    // The last: it may move the others into an alternative.
    addNull,
  ],
}

/** A verb for the operations of `paths`: webhooks and callbacks, which the server calls, only document. */
function mendServed(mend: (operation: ServedOperation, mending: Mending) => void): Verb {
  return ({ object, name: method, within: path, role }, mending) => {
    if (role === 'served') mend({ object, method, path, route: `${method.toUpperCase()} ${path}` }, mending)
  }
}
