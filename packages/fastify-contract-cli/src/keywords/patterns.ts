import { RE2JS, RE2JSException } from 're2js'

/**
 * The maximum number of RE2 instructions of a pattern. The time of a match is at most linear in their number and in the
 * length of the text. The server refuses a text that takes too long, with so many instructions one of 4,000 characters.
 */
const maxInstructions = 2048

const escape = String.raw`\\(?:[$()*+./?[\\\]^{|}]|[fnrt]|x[0-7][\dA-Fa-f])`
/** A character of a class. Doubled `-`, `&` and `~` are operators in Rust. */
const member = String.raw`(?:${escape}|\\-|(?!--|&&|~~)[^[\\\]\x00-\x1f\x7f])`

/** A construct with the same meaning in RE2, Go, Rust, PCRE2 and ECMA-262 with the flag `u`. */
const construct = new RegExp(
  [
    escape,
    // [:name:], [.name.] and [=name=] are special in PCRE2.
    String.raw`\[(?!\^?\]|([:.=])[^\]]*\1\])\^?${member}+\]`,
    String.raw`\((?:\?:)?(?![*?])`,
    String.raw`[)|^$]`,
    String.raw`(?:[*+?]|\{(?:0|[1-9]\d*)(?:,(?:[1-9]\d*)?)?\})\??(?![*+?{])`,
    String.raw`[^$()*+.?[\\\]^{|}\x00-\x1f\x7f]`,
  ].join('|'),
  'uy',
)

/** The problem and the remedy of other constructs, by their start. */
const remedies: readonly (readonly [beginning: RegExp, remedy: string])[] = [
  [/^\\[dD]/, 'it includes all Unicode digits in Rust and Python; use [0-9] or [^0-9]'],
  [/^\\[wW]/, 'it includes all Unicode word characters in Rust and Python; use [A-Za-z0-9_] or [^A-Za-z0-9_]'],
  [/^\\[sS]/, String.raw`engines differ on white space; use [\x09-\x0D\x20] or [^\x09-\x0D\x20]`],
  [/^\\[bB]/, 'engines differ on word boundaries; use the characters allowed before and after'],
  [/^\\[pP]/, 'engines differ on properties; use ranges of characters'],
  [/^\\[1-9k]/, 'RE2 and Rust have no backreferences; repeat the text'],
  [/^\\[ux]/, String.raw`engines differ on this escape; use \x00 to \x7F, or the character itself`],
  [/^\\$/, String.raw`the escape is incomplete; use \\`],
  [/^\\[A-Za-z0]/, String.raw`engines differ on this escape; use the character, or \x and two digits`],
  [/^\\/, 'engines differ on this escape; use the character itself'],
  [/^\(\?<?[=!]/, 'RE2 and Rust have no lookaround; use allOf with two patterns'],
  [/^\(\?[P<']/, 'engines differ on named groups; use (?:'],
  [/^\(\?/, 'engines differ on flags and special groups; use (?: and explicit characters'],
  [/^\(/, String.raw`it is a verb in PCRE2; use \*`],
  [/^\./, String.raw`engines differ on line ends; use a class such as [^\x0A]`],
  [/^\[/, String.raw`the class is open, empty or not portable; use \[ and \], and single & - ~`],
  [/^[*+?{]/, 'there is nothing to repeat, or a second quantifier; use a group (?:…), or a backslash'],
  [/^[}\]]/, 'engines differ on it without a backslash; add one'],
  [/^/, String.raw`it is a control character; use \x and two digits`],
]

/**
 * Finds the problem of a `pattern`: engines of other languages differ on it, or a match takes too long.
 *
 * @param pattern the expression, without delimiters
 * @returns the problem and the remedy; undefined if there is none
 * @see https://github.com/google/re2/wiki/Syntax https://docs.rs/regex/latest/regex/#syntax
 * @see https://www.pcre.org/current/doc/html/pcre2pattern.html https://tc39.es/ecma262/#sec-patterns
 */
export function patternProblem(pattern: string): string | undefined {
  if (!pattern.isWellFormed()) return 'a lone surrogate is not valid UTF-8; remove it'
  for (construct.lastIndex = 0; construct.lastIndex < pattern.length;) {
    const at = construct.lastIndex
    if (construct.test(pattern)) continue
    const rest = pattern.slice(at)
    // The last one matches any text.
    const [, remedy] = remedies.find(([beginning]) => beginning.test(rest))!
    return `${rest.slice(0, /^[\\(]/.test(rest) ? 2 : 1)} at character ${String(at + 1)}: ${remedy}`
  }
  try {
    // Checks the remaining syntax: groups, bounds and ranges.
    void new RegExp(pattern, 'u')
    const size = RE2JS.compile(pattern).programSize()
    if (size <= maxInstructions) return undefined
    return `it has ${String(size)} steps, and the maximum is ${String(maxInstructions)}; ${shorter}`
  } catch (error) {
    if (error instanceof SyntaxError) return `${error.message.replace(/^.*: /s, '')}; correct the expression`
    if (error instanceof RE2JSException) return `${error.message}; ${shorter}`
    throw error
  }
}

const shorter = 'repeat with * or +, and use minLength and maxLength for lengths'
