import { RE2JS, RE2JSException } from 're2js'

/**
 * The most instructions that a pattern may become. A match takes time in proportion to their number and to the length of
 * the text: about two seconds for a text of 64 KiB.
 */
const maxInstructions = 2048

const escape = String.raw`\\(?:[$()*+.?[\\\]^{|}-]|[fnrt]|x[0-7][\dA-Fa-f])`
const classMember = String.raw`(?:${escape}|[^[\\\]\x00-\x1f\x7f])`

/** One construct that RE2, Go, Rust, PCRE2 and ECMA-262 read alike. */
const construct = new RegExp(
  [
    escape,
    String.raw`\[\^?${classMember}+\]`,
    String.raw`\((?:\?:)?(?![*?])`,
    String.raw`[)|^$]`,
    String.raw`(?:[*+?]|\{\d+(?:,\d*)?\})\??`,
    String.raw`[^$()*+.?[\\\]^{|}\x00-\x1f\x7f]`,
  ].join('|'),
  'uy',
)

/** What to write in place of other constructs. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/^\\[dD]/, 'Rust and Python take it for the digits of Unicode; write [0-9] or [^0-9]'],
  [/^\\[wW]/, 'Rust and Python take it for the letters of Unicode; write [A-Za-z0-9_] or [^A-Za-z0-9_]'],
  [/^\\[sS]/, String.raw`each engine has another list of white space; write [\x09-\x0D\x20]`],
  [/^\\[bB]/, 'engines differ on what a word is; write the characters that may stand before and after'],
  [/^\\[pP]/, 'ECMA-262 has it with the flag u alone; write the ranges of characters'],
  [/^\\[1-9k]/, 'RE2 and Rust have no backreferences; write the text again'],
  [/^\\u/, String.raw`Rust, Go and PCRE2 refuse it; write the character itself, or \x and two digits up to \x7F`],
  [/^\\x/, String.raw`write two digits from \x00 to \x7F, and any other character itself`],
  [/^\\$/, String.raw`nothing follows it; write \\`],
  [/^\\/, 'not every engine has this escape; write the character without it'],
  [/^\(\?<?[=!]/, 'RE2 and Rust look neither ahead nor behind; use allOf with two patterns'],
  [/^\(\?(?:P|<|')/, 'not every engine has named groups; write (?:'],
  [/^\(/, 'engines differ on flags and other groups; write (?:'],
  [/^\./, String.raw`each engine has other line ends; write the class that is meant, such as [^\x0A]`],
  [/^\[/, String.raw`the class is empty or open, or has a [ in it; write \[ for that character`],
  [/^[{}\]]/, 'engines differ on it without a backslash; put one before it'],
  [/^[^]/u, String.raw`write a control character as \x and two digits`],
]

/**
 * Says why a `pattern` is refused: it has a construct that engines read in different ways, it is no regular expression,
 * or it takes too long to match.
 *
 * @param pattern the expression, without delimiters
 * @returns the problem and its remedy; undefined where there is none
 * @see https://github.com/google/re2/wiki/Syntax https://tc39.es/ecma262/#sec-patterns
 */
export function patternProblem(pattern: string): string | undefined {
  if (!pattern.isWellFormed()) return 'a lone surrogate: no UTF-8 can hold it; remove it'
  for (construct.lastIndex = 0; construct.lastIndex < pattern.length; ) {
    const at = construct.lastIndex
    if (construct.test(pattern)) continue
    const rest = pattern.slice(at)
    const [, remedy = ''] = remedies.find(([beginning]) => beginning.test(rest)) ?? []
    return `${JSON.stringify(rest.slice(0, 4))} at character ${String(at + 1)}: ${remedy}`
  }
  try {
    // Both engines have to read it: RE2JS matches here, and clients use those of their languages.
    void new RegExp(pattern, 'u')
    const size = RE2JS.compile(pattern).programSize()
    if (size <= maxInstructions) return undefined
    const remedy = 'repeat with * or +, and state lengths as minLength and maxLength'
    return `it is ${String(size)} steps long with its repetitions, and ${String(maxInstructions)} is the most; ${remedy}`
  } catch (error) {
    if (error instanceof RE2JSException || error instanceof SyntaxError) return error.message
    throw error
  }
}
