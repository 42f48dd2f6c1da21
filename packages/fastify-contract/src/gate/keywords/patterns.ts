import { RE2JS, RE2JSException } from 're2js'

/**
 * The most instructions of RE2 that a pattern may become. The time of a match is at most in proportion to their number
 * and to the length of the text: about two seconds for a text of 64 KiB.
 */
const maxInstructions = 2048

const escape = String.raw`\\(?:[$()*+./?[\\\]^{|}]|[fnrt]|x[0-7][\dA-Fa-f])`
/** A character of a class. `-`, `&` and `~` twice are operators of Rust. */
const member = String.raw`(?:${escape}|\\-|(?!--|&&|~~)[^[\\\]\x00-\x1f\x7f])`

/** One construct that RE2, Go, Rust, PCRE2 and ECMA-262 with the flag `u` read alike. */
const construct = new RegExp(
  [
    escape,
    // PCRE2 looks for [:name:], [.name.] and [=name=].
    String.raw`\[(?!\^?\]|([:.=])[^\]]*\1\])\^?${member}+\]`,
    String.raw`\((?:\?:)?(?![*?])`,
    String.raw`[)|^$]`,
    String.raw`(?:[*+?]|\{(?:0|[1-9]\d*)(?:,(?:[1-9]\d*)?)?\})\??(?![*+?{])`,
    String.raw`[^$()*+.?[\\\]^{|}\x00-\x1f\x7f]`,
  ].join('|'),
  'uy',
)

/** What to write in place of other constructs, by their beginnings. */
const remedies: readonly (readonly [beginning: RegExp, remedy: string])[] = [
  [/^\\[dD]/, 'Rust and Python take it for every decimal digit of Unicode; write [0-9] or [^0-9]'],
  [/^\\[wW]/, 'Rust and Python take it for every word character of Unicode; write [A-Za-z0-9_] or [^A-Za-z0-9_]'],
  [/^\\[sS]/, String.raw`each engine has another list of white space; write [\x09-\x0D\x20] or [^\x09-\x0D\x20]`],
  [/^\\[bB]/, 'what a word is differs; write the characters that may stand before and after'],
  [/^\\[pP]/, 'not every engine knows the same properties; write the ranges of characters'],
  [/^\\[1-9k]/, 'RE2 and Rust have no backreferences; write the text again'],
  [/^\\[ux]/, String.raw`write \x and two digits from \x00 to \x7F, and any other character itself`],
  [/^\\$/, String.raw`nothing follows it; write \\`],
  [/^\\[A-Za-z0]/, String.raw`not every engine has this escape; write the character, or \x and two digits`],
  [/^\\/, 'not every engine has this escape; write the character without it'],
  [/^\(\?<?[=!]/, 'RE2 and Rust look neither ahead nor behind; use allOf with two patterns'],
  [/^\(\?[P<']/, 'not every engine has named groups; write (?:'],
  [
    /^\(\?/,
    'engines differ on flags and other groups; write (?: and, where a flag is meant, the characters themselves',
  ],
  [/^\(/, String.raw`PCRE2 takes it for a verb; write \*`],
  [/^\./, String.raw`each engine has other line ends; write the class that is meant, such as [^\x0A]`],
  [
    /^\[/,
    String.raw`the class is open or empty, or has in it what engines differ on: write \[ and \], and single & - ~`,
  ],
  [/^[*+?{]/, 'there is nothing to repeat, or a second quantifier; use a group (?:…), or a backslash'],
  [/^[}\]]/, 'engines differ on it without a backslash; put one before it'],
  [/^/, String.raw`write a control character as \x and two digits`],
]

/**
 * Says why a `pattern` is refused: clients and servers in other languages would read it in another way, or a match
 * takes too long. The allowed constructs are those that engines read alike.
 *
 * @param pattern the expression, without delimiters
 * @returns the problem and its remedy; undefined where there is none
 * @see https://github.com/google/re2/wiki/Syntax https://docs.rs/regex/latest/regex/#syntax
 * @see https://www.pcre.org/current/doc/html/pcre2pattern.html https://tc39.es/ecma262/#sec-patterns
 */
export function patternProblem(pattern: string): string | undefined {
  if (!pattern.isWellFormed()) return 'a lone surrogate: no UTF-8 can hold it; remove it'
  for (construct.lastIndex = 0; construct.lastIndex < pattern.length;) {
    const at = construct.lastIndex
    if (construct.test(pattern)) continue
    const rest = pattern.slice(at)
    // The last of them fits every text.
    const [, remedy] = remedies.find(([beginning]) => beginning.test(rest))!
    return `${rest.slice(0, /^[\\(]/.test(rest) ? 2 : 1)} at character ${String(at + 1)}: ${remedy}`
  }
  try {
    // What is left is a matter of syntax: groups, bounds and ranges.
    void new RegExp(pattern, 'u')
    const size = RE2JS.compile(pattern).programSize()
    if (size <= maxInstructions) return undefined
    return `it has ${String(size)} steps with its repetitions, ${String(maxInstructions)} at most; ${shorter}`
  } catch (error) {
    if (error instanceof SyntaxError) return `${error.message.replace(/^.*: /s, '')}; correct the expression`
    if (error instanceof RE2JSException) return `${error.message}; ${shorter}`
    throw error
  }
}

const shorter = 'repeat with * or +, and state lengths as minLength and maxLength'
