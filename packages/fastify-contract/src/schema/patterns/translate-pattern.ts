/** The white space of ECMA-262 (sections 12.2 and 12.3), and all other characters, in a class of RE2. */
const space = String.raw`\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
const notSpace =
  String.raw`\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}` +
  String.raw`\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
const any = String.raw`\x{0}-\x{10ffff}`

const surrogates = String.raw`\\u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}`
const escape = String.raw`${surrogates}|\\(?:u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^{}]*\}|0(?!\d)|.)`
const inClass = new RegExp(`${escape}|.`, 'gsu')
const construct = new RegExp(
  String.raw`\[\^?(?:\\.|[^\]\\])*\]|${escape}|\(\?(?:<(?![=!])[^>]*>|<?[=!]|:|[a-zA-Z-]+:)?|\{\d+(?:,\d*)?\}|.`,
  'gsu',
)

/**
 * Translates a pattern to the syntax of RE2, where some constructs mean something else. A pattern that is valid only
 * without the flag `u` is read as with it, as far as it means the same.
 *
 * @throws SyntaxError if the pattern is invalid, or has a construct that RE2 lacks
 * @see https://tc39.es/ecma262/#sec-patterns https://github.com/google/re2/wiki/Syntax
 */
export function translatePattern(pattern: string): string {
  if (!pattern.isWellFormed()) throw new SyntaxError('a lone surrogate is not valid UTF-8')
  assertValid(pattern)
  return pattern.replace(construct, translate)
}

function assertValid(pattern: string): void {
  try {
    void new RegExp(pattern, 'u')
  } catch {
    void new RegExp(pattern)
  }
}

function translate(text: string): string {
  if (text.length > 1 && text.startsWith('[')) return translateClass(text)
  if (text.startsWith('(?<') && text.endsWith('>')) return '(?:'
  if (/^\(\?<?[=!]$/.test(text))
    throw new SyntaxError(`${text} is lookaround, which takes more than linear time; use allOf with several patterns`)
  if (/^\(\?[a-zA-Z-]/.test(text)) throw new SyntaxError(`${text} sets flags, which are read otherwise; write [aA]`)
  if (text === '.') return String.raw`[^\n\r\x{2028}\x{2029}]`
  if (/^[{}\]]$/.test(text)) return `\\${text}`
  if (!text.startsWith('\\') || /^\\[bB]$/.test(text)) return text
  const set = setOf(text)
  return set === undefined ? literal(codeOf(text)) : `[${set}]`
}

/** A class in brackets. Between a set and a character, `-` is itself. */
function translateClass(text: string): string {
  const [start, content] = text.startsWith('[^') ? ['[^', text.slice(2, -1)] : ['[', text.slice(1, -1)]
  const atoms = content.match(inClass) ?? []
  let members = ''
  for (let index = 0; index < atoms.length; index++) {
    // In bounds.
    const [atom, next, last] = [atoms[index]!, atoms[index + 1], atoms[index + 2]]
    const set = setOf(atom)
    members += set ?? literal(codeOf(atom))
    if (next !== '-' || last === undefined) continue
    const isRange = set === undefined && setOf(last) === undefined
    members += isRange ? `-${literal(codeOf(last))}` : literal(codeOf(next))
    index += isRange ? 2 : 1
  }
  if (members === '') return start === '[' ? `[^${any}]` : `[${any}]`
  return `${start}${members}]`
}

/** The set of an escape such as `\d`, for a class; undefined for a character. */
function setOf(text: string): string | undefined {
  if (text === String.raw`\s`) return space
  if (text === String.raw`\S`) return notSpace
  if (/^\\[dDwW]$/.test(text)) return text
  if (/^\\[pP]\{/.test(text))
    return text.replace(/\{(?:(?:Script|sc|General_Category|gc)=)?(\w+)\}/, (_all, name: string) => {
      return `{${categories.get(name) ?? name}}`
    })
  return undefined
}

/** The short names of the general categories (Unicode Standard Annex 44, table 12), by their long names. */
const categories: ReadonlyMap<string, string> = new Map(
  [
    'Letter L Uppercase_Letter Lu Lowercase_Letter Ll Titlecase_Letter Lt Modifier_Letter Lm Other_Letter Lo',
    'Mark M Combining_Mark M Nonspacing_Mark Mn Spacing_Mark Mc Enclosing_Mark Me',
    'Number N Decimal_Number Nd digit Nd Letter_Number Nl Other_Number No',
    'Punctuation P punct P Connector_Punctuation Pc Dash_Punctuation Pd Open_Punctuation Ps Close_Punctuation Pe',
    'Initial_Punctuation Pi Final_Punctuation Pf Other_Punctuation Po',
    'Symbol S Math_Symbol Sm Currency_Symbol Sc Modifier_Symbol Sk Other_Symbol So',
    'Separator Z Space_Separator Zs Line_Separator Zl Paragraph_Separator Zp',
    'Other C Control Cc cntrl Cc Format Cf Surrogate Cs Private_Use Co',
  ].flatMap((line) => [...line.matchAll(/(\w+) (\w+)/g)].map(([, long = '', short = '']) => [long, short] as const)),
)

const controls: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 }

/** The code point of a character or of its escape. */
function codeOf(text: string): number {
  if (!text.startsWith('\\') || text === '\\') return text.codePointAt(0)!
  const [, kind = '', rest = ''] = /^\\(.)(.*)$/su.exec(text) ?? []
  if (rest.includes('\\'))
    return String.fromCharCode(...rest.split(/\\u/).map((unit) => parseInt(unit, 16))).codePointAt(0)!
  if (/^[ux]$/.test(kind) && rest !== '') return parseInt(rest.replace('{', ''), 16)
  if (kind === 'c' && rest !== '') return rest.charCodeAt(0) % 32
  const control = Object.hasOwn(controls, kind) ? controls[kind] : undefined
  if (control !== undefined) return control
  if (/[1-9k]/.test(kind))
    throw new SyntaxError(`${text} refers back, which takes more than linear time; repeat the text`)
  if (/[A-Za-z\d]/.test(kind)) {
    const remedy = kind === 'A' ? 'write ^' : /[zZ]/.test(kind) ? 'write $' : 'write out the characters'
    throw new SyntaxError(`${text} is not ECMAScript; ${remedy}`)
  }
  return kind.codePointAt(0)!
}

function literal(code: number): string {
  return `\\x{${code.toString(16)}}`
}
