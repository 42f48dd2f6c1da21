/** Control characters, bidirectional marks, other invisible characters, lone surrogates and noncharacters. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu

/**
 * Makes a message safe to print: quoted text cannot start a line, move the cursor or reverse the text after it (Unicode
 * Technical Report 36, section 2). Each such character is replaced by its code point. XML can have all others (XML 1.0,
 * section 2.2).
 */
export function printable(message: string): string {
  return message.replaceAll(invisible, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}
