/** Valid names and tags that software often changes, each after its description. */
export const awkwardTexts: readonly (readonly [string, string])[] = [
  ['white space at both ends', ' \t\r\n\u00a0 a \u3000'],
  ['every ASCII character but U+0000', String.fromCodePoint(...codePoints(0x01, 0x7f))],
  ['C1 controls', String.fromCodePoint(...codePoints(0x80, 0x9f))],
  ['a byte order mark at the beginning', '\ufeffMonstera'],
  ['line and paragraph separators', 'a\u2028b\u2029c'],
  ['a combining character after its letter', 'e\u0301'],
  ['the same letter precomposed', '\u00e9'],
  ['combining characters alone', '\u0301\u0327'],
  ['noncharacters of the last plane', '\u{10fffe}\u{10ffff}'],
  ['the neighbours of the surrogates', '\ud7ff\ue000'],
  ['the first and the last code point beyond the first plane', '\u{10000}\u{10ffff}'],
  ['a joined emoji', '\u{1f469}\u{1f3fd}\u200d\u{1f33e}'],
  ['private use and unassigned code points', '\ue123\u0378\u{f1234}'],
  ['JSON that is inside the text', '{"name":"x","tag":null}'],
  ['quotes and backslashes', String.raw`"\"\\u0041\n'`],
  ['SQL that is inside the text', `'); DROP TABLE plants; --`],
  ['words that stand for values', 'null'],
  ['255 code points beyond the first plane', '\u{1f331}'.repeat(255)],
  ['255 code points that JSON escapes', '\u0001'.repeat(255)],
]

function codePoints(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
