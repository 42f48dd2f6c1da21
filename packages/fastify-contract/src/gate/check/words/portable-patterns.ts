import { RE2JS, RE2JSException } from 're2js'

/**
 * Says why the regular expression of a `pattern` is not read alike by the engines that validators and generated clients
 * use: RE2 and Go, Rust's regex crate, PCRE2 in UTF mode, and ECMA-262 with and without the flag `u`. What is not known
 * to be read alike is refused, and what is too large to be matched in little time.
 *
 * One difference has no other spelling and is let through: `$` also matches before a last line feed in PCRE2, Perl and
 * Python.
 *
 * @param pattern the expression, without delimiters
 * @returns the problem and its remedy; undefined where there is none
 * @see https://github.com/google/re2/wiki/Syntax https://docs.rs/regex/latest/regex/#syntax
 * @see https://www.pcre.org/current/doc/html/pcre2pattern.html https://tc39.es/ecma262/#sec-patterns
 */
export function patternProblem(pattern: string): string | undefined {
  try {
    new PatternReader(pattern).read()
    return sizeProblem(pattern)
  } catch (error) {
    if (error instanceof Unportable) return error.message
    throw error
  }
}

class Unportable extends Error {}

/** What matters of a part of a pattern. */
interface Part {
  /** Whether every match of it has a character that no wide class has a part in, so that its two sides are apart. */
  isSolid: boolean
  /** Whether a wide class that needs a character can stand at its beginning; wide is what goes beyond U+FFFF. */
  startsWide: boolean
  /** The same at its end. */
  endsWide: boolean
}

type Atom = 'code unit' | 'two code units' | 'wide class'

/**
 * The most instructions of RE2's that a pattern may become. The time for a text is at most in proportion to their
 * number and to its length: about two seconds for a text of 64 KiB.
 */
const mostInstructions = 2048

/** PCRE2 and Rust allow 250 at most, Go 1000. */
const mostDepth = 100

const empty: Part = { isSolid: false, startsWide: false, endsWide: false }
const solid: Part = { ...empty, isSolid: true }

/** What stands for itself only behind a backslash. */
const syntaxCharacters = '^$\\.*+?()[]{}|'

/** Escapes for which there is another spelling that is read alike. */
const otherSpellings: Readonly<Record<string, string>> = {
  d: 'Rust and Python take it for every decimal digit of Unicode; write [0-9]',
  D: 'Rust and Python take it for all but the decimal digits of Unicode; write [^0-9]',
  w: 'Rust and Python take it for every word character of Unicode; write [A-Za-z0-9_]',
  W: 'Rust and Python take it for all but the word characters of Unicode; write [^A-Za-z0-9_]',
  s: String.raw`each engine has another list of white space; write [\x09-\x0D\x20]`,
  S: String.raw`each engine has another list of white space; write [^\x09-\x0D\x20]`,
  b: 'what a word is differs; write the characters that may stand before and after',
  B: 'what a word is differs; write the characters that may stand before and after',
  p: 'ECMA-262 has it with the flag u alone; write the ranges of characters',
  P: 'ECMA-262 has it with the flag u alone; write the ranges of characters',
  u: String.raw`Rust, Go and PCRE2 refuse it; write the character itself, or \x and two digits up to \x7F`,
  k: 'RE2 and Rust have no backreferences; write the text again',
  c: String.raw`not every engine has it; write \x and two digits`,
  v: String.raw`PCRE2 takes it for all vertical white space; write \x0B`,
  0: String.raw`not every engine has it; write \x00`,
  '/': 'older Rust refuses it; write / without the backslash',
}

class PatternReader {
  readonly #characters: string[]
  #at = 0
  #depth = 0

  constructor(pattern: string) {
    this.#characters = Array.from(pattern)
  }

  read(): void {
    this.#readAlternatives()
    // Only what no group has opened ends the alternatives early.
    if (this.#at < this.#characters.length) this.#refuse(')', String.raw`it closes no group; write \)`)
  }

  get #next(): string {
    return this.#characters[this.#at] ?? ''
  }

  #skip(text: string): boolean {
    const isThere = this.#characters.slice(this.#at, this.#at + text.length).join('') === text
    if (isThere) this.#at += text.length
    return isThere
  }

  #refuse(part: string, words: string): never {
    throw new Unportable(`${part} at character ${String(this.#at + 1)}: ${words}`)
  }

  #readAlternatives(): Part {
    let all = this.#readSequence()
    while (this.#skip('|')) {
      const one = this.#readSequence()
      all = {
        isSolid: all.isSolid && one.isSolid,
        startsWide: all.startsWide || one.startsWide,
        endsWide: all.endsWide || one.endsWide,
      }
    }
    return all
  }

  #readSequence(): Part {
    let before = empty
    while (this.#next !== '' && this.#next !== '|' && this.#next !== ')') {
      const part = this.#readQuantified()
      if (before.endsWide && part.startsWide) this.#refuse('the second class, which ends', bothWide)
      before = {
        isSolid: before.isSolid || part.isSolid,
        startsWide: before.startsWide || (!before.isSolid && part.startsWide),
        endsWide: part.endsWide || (!part.isSolid && before.endsWide),
      }
    }
    return before
  }

  #readQuantified(): Part {
    const start = this.#at
    if (this.#skip('^') || this.#skip('$')) {
      this.#refuseQuantifier('an anchor cannot be repeated; remove the quantifier')
      return empty
    }
    if (this.#next === '(') return this.#quantifiedGroup(this.#readGroup())
    const atom = this.#readAtom()
    const text = this.#characters.slice(start, this.#at).join('')
    const bounds = this.#readQuantifier()
    if (atom === 'two code units' && bounds !== undefined)
      this.#refuse(text, 'without u, ECMA-262 repeats half of the character; put it into a group (?:…)')
    if (atom === 'wide class') {
      if (bounds === undefined || bounds.most !== Infinity || bounds.least > 1)
        this.#refuse(text, `${twoUnits}; repeat the class with * or +, and state lengths as minLength and maxLength`)
      return { ...empty, startsWide: bounds.least === 1, endsWide: bounds.least === 1 }
    }
    return bounds?.least === 0 ? empty : solid
  }

  #quantifiedGroup(group: Part): Part {
    const bounds = this.#readQuantifier()
    if (bounds === undefined) return group
    if (bounds.most > 1 && group.startsWide && group.endsWide) this.#refuse('the group', bothWide)
    return { ...group, isSolid: group.isSolid && bounds.least > 0 }
  }

  #readGroup(): Part {
    if (this.#depth === mostDepth) this.#refuse('(', `nest groups ${String(mostDepth)} deep at most`)
    if (this.#characters[this.#at + 1] === '?' && this.#characters[this.#at + 2] !== ':')
      this.#refuse('(?', groupRemedy(this.#characters.slice(this.#at, this.#at + 4).join('')))
    if (this.#characters[this.#at + 1] === '*') this.#refuse('(*', String.raw`PCRE2 takes it for a verb; write \*`)
    this.#at++
    this.#skip('?:')
    this.#depth++
    const group = this.#readAlternatives()
    this.#depth--
    if (!this.#skip(')')) this.#refuse('the end', 'a group is open; close it with )')
    return group
  }

  /** @returns undefined where there is no quantifier */
  #readQuantifier(): { least: number; most: number } | undefined {
    const bounds = this.#readBounds()
    if (bounds === undefined) return undefined
    this.#skip('?')
    this.#refuseQuantifier('engines differ on a second quantifier; put what the first repeats into a group (?:…)')
    if (bounds.most === 0) this.#refuse('the quantifier', 'Perl repeats once; remove what is repeated no times')
    if (bounds.most < bounds.least) this.#refuse('the quantifier', 'its bounds are the wrong way round')
    return bounds
  }

  #readBounds(): { least: number; most: number } | undefined {
    if (this.#skip('*')) return { least: 0, most: Infinity }
    if (this.#skip('+')) return { least: 1, most: Infinity }
    if (this.#skip('?')) return { least: 0, most: 1 }
    const written = /^\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*|))?\}/.exec(
      this.#characters.slice(this.#at, this.#at + 20).join(''),
    )
    if (written === null) return undefined
    this.#at += written[0].length
    const [, least = '', comma = '', most = ''] = written
    return { least: Number(least), most: most !== '' ? Number(most) : comma === '' ? Number(least) : Infinity }
  }

  #refuseQuantifier(words: string): void {
    if ('*+?{'.includes(this.#next) && this.#next !== '') this.#refuse(this.#next, words)
  }

  #readAtom(): Atom {
    if (this.#skip('[')) return this.#readClass()
    if (this.#next === '.')
      this.#refuse('.', String.raw`each engine has other line ends; write the class that is meant, such as [^\x0A]*`)
    if ('*+?'.includes(this.#next)) this.#refuse(this.#next, 'there is nothing to repeat; put a backslash before it')
    if (']{}'.includes(this.#next))
      this.#refuse(this.#next, 'engines differ on it without a backslash; put one before it')
    return this.#readCharacter('').codePoint > 0xffff ? 'two code units' : 'code unit'
  }

  #readClass(): Atom {
    const start = this.#at - 1
    const isNegated = this.#skip('^')
    if (this.#next === ']')
      this.#refuse(
        ']',
        String.raw`ECMA-262 ends the class there, the others do not; write \] or a class that is not empty`,
      )
    for (let isFirst = true; !this.#skip(']'); isFirst = false) {
      const from = this.#readMember(isFirst)
      if (this.#next !== '-' || this.#characters[this.#at + 1] === ']') continue
      this.#refuseOperator()
      this.#at++
      const to = this.#readMember(false)
      if (to < from) this.#refuse('the range', 'its ends are the wrong way round')
      if (from < 0xd800 && to > 0xdfff)
        this.#refuse('the range', 'it spans the surrogates, which ECMA-262 reads without u; end it before U+D800')
    }
    const text = this.#characters.slice(start, this.#at).join('')
    // PCRE2 looks for [:name:], [.name.] and [=name=].
    if (/^\[([:.=])[^]*\1\]$/.test(text) && text.length > 3)
      this.#refuse(text, 'PCRE2 takes it for a POSIX class; begin the class with another character')
    return isNegated ? 'wide class' : 'code unit'
  }

  #readMember(isFirst: boolean): number {
    if (this.#next === '') this.#refuse('the end', 'a class is open; close it with ]')
    if (this.#next === '[') this.#refuse('[', String.raw`Rust begins a class inside the class; write \[`)
    this.#refuseOperator()
    if (this.#next === '-' && !isFirst && this.#characters[this.#at + 1] !== ']')
      this.#refuse('-', String.raw`engines differ on it there; write it last, or \-`)
    const { codePoint, text } = this.#readCharacter('-')
    if (codePoint > 0xffff)
      this.#refuse(text, 'without u, ECMA-262 takes it for two characters of the class; write (?:a|b) instead')
    return codePoint
  }

  #refuseOperator(): void {
    const two = this.#characters.slice(this.#at, this.#at + 2).join('')
    if (!['&&', '--', '~~'].includes(two)) return
    this.#refuse(two, 'Rust takes it for an operator between classes; write the character once')
  }

  /** @param alsoEscaped what may stand behind a backslash beside the characters of the syntax */
  #readCharacter(alsoEscaped: string): { codePoint: number; text: string } {
    const text = this.#next
    // There is a character: the callers have looked for the end.
    const codePoint = text.codePointAt(0)!
    if (text !== '\\') {
      if (!text.isWellFormed()) this.#refuse('a lone surrogate', 'no UTF-8 can hold it; remove it')
      if (codePoint < 0x20 || codePoint === 0x7f)
        this.#refuse('a control character', String.raw`write it as \x and two digits`)
      this.#at++
      return { codePoint, text }
    }
    return { codePoint: this.#readEscape(alsoEscaped), text }
  }

  #readEscape(alsoEscaped: string): number {
    const escaped = this.#characters[this.#at + 1]
    if (escaped === undefined) this.#refuse('\\', String.raw`nothing follows it; write \\`)
    const part = `\\${escaped}`
    if (escaped === 'x') {
      const digits = this.#characters.slice(this.#at + 2, this.#at + 4).join('')
      if (!/^[0-7][0-9A-Fa-f]$/.test(digits))
        this.#refuse(part, String.raw`write two digits from \x00 to \x7F, and any other character itself`)
      this.#at += 4
      return parseInt(digits, 16)
    }
    const control = 'tnfr'.indexOf(escaped)
    if (control >= 0 || syntaxCharacters.includes(escaped) || alsoEscaped.includes(escaped)) {
      this.#at += 2
      return control >= 0 ? '\t\n\f\r'.charCodeAt(control) : escaped.charCodeAt(0)
    }
    if (/[1-9]/.test(escaped)) this.#refuse(part, 'RE2 and Rust have no backreferences; write the text again')
    this.#refuse(part, otherSpellings[escaped] ?? `not every engine has this escape; write ${escaped} without it`)
  }
}

const twoUnits = 'without u, ECMA-262 counts a character beyond the first plane as two'
const bothWide = `${twoUnits}, one for each of two classes side by side; put a character between them`

function groupRemedy(beginning: string): string {
  if (/^\(\?(?:[=!]|<[=!])/.test(beginning))
    return 'RE2 and Rust look neither ahead nor behind; use allOf with two patterns'
  if (/^\(\?(?:P|<|')/.test(beginning)) return 'not every engine has named groups; write (?:'
  return 'engines differ on flags and other groups; write (?: and, where a flag is meant, the characters themselves'
}

/** What the linear engine of `src/schema/text/linear-pattern.ts` says of a pattern. */
function sizeProblem(pattern: string): string | undefined {
  const remedy = 'repeat with * or +, and state lengths as minLength and maxLength'
  try {
    const size = RE2JS.compile(pattern).programSize()
    if (size <= mostInstructions) return undefined
    return `it has ${String(size)} steps with its repetitions, ${String(mostInstructions)} at most; ${remedy}`
  } catch (error) {
    if (error instanceof RE2JSException) return `${error.message}; ${remedy}`
    throw error
  }
}
