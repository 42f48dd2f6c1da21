/** Control characters, bidirectional marks, other invisible characters and lone surrogates. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Makes a message safe to print: quoted text cannot start a line, move the cursor or reverse the text after it (Unicode
 * Technical Report 36, section 2). Each such character is replaced by its code point.
 */
export function printable(message: string): string {
  return message.replaceAll(invisible, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}
