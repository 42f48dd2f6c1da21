import { configured, late } from './requests/configured.ts'
import { credentials } from './requests/credentials.ts'
import { documents } from './requests/documents.ts'
import { framing } from './requests/framing.ts'
import { integers } from './requests/integers.ts'
import { messages } from './requests/messages.ts'
import type { GoldenRequest } from './requests/request.ts'
import { streams } from './requests/streams.ts'
import { targets } from './requests/targets.ts'
import { names, storedPlants } from './requests/texts.ts'

/**
 * The requests to a server with the default configuration. They are independent of each other: whatever one creates, it
 * deletes.
 */
export const requests: readonly GoldenRequest[] = [
  ...storedPlants,
  ...names,
  ...integers,
  ...documents,
  ...credentials,
  ...targets,
  ...messages,
  ...framing,
  ...streams,
]

const seen = new Set<string>()
for (const { name } of [...requests, ...configured, ...late]) {
  if (seen.has(name)) throw new Error(`two requests have the name ${name}; change one`)
  seen.add(name)
}
