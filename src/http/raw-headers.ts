/**
 * Returns the value of each field of a name. Node's `headers` joins or drops all but one.
 *
 * @param rawHeaders names and values in turn, as Node's `rawHeaders`
 * @param name in lower case
 */
export function fieldValues(rawHeaders: string[], name: string): string[] {
  const values: string[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const field = rawHeaders[at]
    if (field?.length === name.length && field.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '')
  }
  return values
}
