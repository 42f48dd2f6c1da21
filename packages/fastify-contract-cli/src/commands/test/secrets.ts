import { shellQuoted } from 'fastify-contract/document'
import { type SecurityScheme, securitySchemesOf } from 'fastify-contract/security'
import { secretVariable } from '../../init/secret-variable.ts'
import type { TestedContract } from '../../suite/ground/contract.ts'
import { type Additions, isCredentialOf, schemeOf } from '../../suite/write/credentials.ts'
import type { Credentials } from '../../suite/ground/contract-request.ts'
import type { Result, ShownFault } from '../../suite/run/result.ts'

/** A value that is not printed. */
interface Secret {
  /** As it is sent. */
  value: string
  /** The shell variable that stands for it. */
  variable: string
  /** What the variable has to hold. */
  meaning: string
}

/** The credentials of a run. What is printed has the names of shell variables in their place. */
export class Secrets {
  readonly #secrets: readonly Secret[]
  readonly #used = new Set<Secret>()

  constructor(contract: TestedContract, callers: readonly Credentials[], additions: Additions) {
    const taken = new Set<string>()
    const secrets = [...secretsOfCallers(contract, callers, taken), ...secretsOfAdditions(contract, additions, taken)]
      // Nothing would be hidden in place of an empty one.
      .filter(({ value }) => value !== '')
    // What two callers have in common is known by the first.
    this.#secrets = [...new Map(secrets.toReversed().map((secret) => [secret.value, secret])).values()].toReversed()
  }

  /** A result without secrets: a server may repeat them in its response. */
  hideIn(result: Result): Result {
    const notes = result.notes.map((note) => ({ ...note, text: this.#hide(note.text) }))
    if (result.verdict === 'fault') {
      const hidden = (fault: ShownFault) => ({ ...fault, problem: this.#hide(fault.problem) })
      const [first, ...others] = result.faults
      return { ...result, notes, faults: [hidden(first), ...others.map(hidden)] }
    }
    return result.verdict === 'ok' ? { ...result, notes } : { ...result, notes, reason: this.#hide(result.reason) }
  }

  #hide(text: string): string {
    return this.#split(text)
      .map((part) => (typeof part === 'string' ? part : `$${part.variable}`))
      .join('')
  }

  /** A word of a shell command. */
  shellWord(text: string): string {
    const parts = this.#split(text).filter((part) => part !== '')
    for (const part of parts) if (typeof part !== 'string') this.#used.add(part)
    return parts.map((part) => (typeof part === 'string' ? shellQuoted(part) : `"$${part.variable}"`)).join('')
  }

  /** What to do before the printed commands are run. */
  instructions(): string[] {
    return [...this.#used].map(({ variable, meaning }) => `before a line of curl, set ${variable} to ${meaning}`)
  }

  #split(text: string): (string | Secret)[] {
    return this.#secrets.reduce<(string | Secret)[]>(
      (parts, secret) => parts.flatMap((part) => (typeof part === 'string' ? splitAt(part, secret) : part)),
      [text],
    )
  }
}

/** A short value is only taken for a secret where it stands alone: `k` is in many words. */
function splitAt(text: string, secret: Secret): (string | Secret)[] {
  const value = secret.value.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
  const parts = text.split(new RegExp(secret.value.length < 8 ? `(?<=[ =])${value}(?=$|[;&])` : value))
  return parts.flatMap((part, index) => (index === 0 ? [part] : [secret, part]))
}

function secretsOfCallers(contract: TestedContract, callers: readonly Credentials[], taken: Set<string>): Secret[] {
  return callers.flatMap((caller, index) =>
    Object.entries(caller).map(([name, sent]) => {
      const { kind, in: place } = schemeOf(contract, name)
      const value = kind === 'apiKey' ? sent : sent.replace(/^\S+ /, '')
      const variable = secretVariable('AUTH', name, taken)
      const meaning = `the ${index === 0 ? '' : 'second '}value of --auth ${name}${kind === 'basic' ? ', in base64' : ''}`
      return place === 'header' ? { value, variable, meaning } : encoded({ value, variable, meaning })
    }),
  )
}

/** What is credentials, or looks like some, in what each request has too. */
function secretsOfAdditions(contract: TestedContract, additions: Additions, taken: Set<string>): Secret[] {
  const { headers = {}, query = [], cookies = [] } = additions
  const schemes = [...securitySchemesOf(contract.document).values()]
  const of = (option: SecurityScheme['in'], pairs: readonly (readonly [name: string, value: string])[]) =>
    pairs
      .filter((pair) => isSecret(...pair) || schemes.some((scheme) => isCredentialOf(scheme, option, pair)))
      .map(([name, value]) => ({
        value: value.replace(/^\w+ (?=\S+$)/, ''),
        variable: secretVariable(option, name, taken),
        meaning: `the value of --${option} ${name}`,
      }))
  return [...of('header', Object.entries(headers)), ...of('query', query).map(encoded), ...of('cookie', cookies)]
}

/** Names of credentials; and values that nobody has chosen, such as a token. */
function isSecret(name: string, value: string): boolean {
  const isNamed = /auth|token|key|secret|sess|sid$|cookie|passw|credential|signature/i.test(name)
  return isNamed || /^(?=.*\d)(?=.*[a-z])\S{20,}$/i.test(value)
}

function encoded({ value, variable, meaning }: Secret): Secret {
  const sent = encodeURIComponent(value)
  return { value: sent, variable, meaning: sent === value ? meaning : `${meaning}, percent-encoded` }
}
