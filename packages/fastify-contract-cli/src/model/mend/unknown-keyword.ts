import { accessExtension, accessProblem } from '../rules/access.ts'
import { didYouMean } from '../rules/did-you-mean.ts'
import { type Keyword, type Kind, ignore, reject, warn } from '../rules/keyword.ts'
import { articleAndName } from './shape.ts'
import { keywords } from '../table/table.ts'

/** The treatment of a name that the table does not have. One that is about access is not ignored. */
export function unknownKeyword(name: string, kind: Kind): Keyword {
  if (name.startsWith('x-')) return { rule: () => warn(accessExtension(name)) }
  const fields = Object.keys(keywords[kind])
  const problem = accessProblem(name, fields)
  const is = `is not a keyword of ${articleAndName(kind)}`
  return problem === undefined
    ? { rule: () => ignore(`${is}, and is ignored; ${didYouMean(name, fields, 'remove it')}`) }
    : { rule: reject(`${is}, and ${problem}`) }
}
