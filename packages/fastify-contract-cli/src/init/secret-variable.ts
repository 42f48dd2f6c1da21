/**
 * The environment variable of a secret. `init` and `test` call the one of a scheme alike.
 *
 * @param prefix without it, the variable of a scheme `user` would be one that each shell sets
 * @param taken the variables of other secrets, to which this one is added
 */
export function secretVariable(prefix: string, name: string, taken: Set<string>): string {
  const words = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '')
  const variable = `${prefix}_${words === '' ? 'secret' : words}`.toUpperCase()
  let distinct = variable
  for (let index = 2; taken.has(distinct); index++) distinct = `${variable}_${String(index)}`
  taken.add(distinct)
  return distinct
}
