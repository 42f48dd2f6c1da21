/**
 * Returns the values of all fields with a name. Node's `headers` joins them or drops all but one.
 *
 * @param rawHeaders alternating names and values, as Node's `rawHeaders`
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
