/** Controls, marks that turn the direction of text, other characters that nobody sees, and half surrogates. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Makes a message safe to print: a text that it quotes cannot begin a line, move the cursor, or turn what follows it
 * (Unicode Technical Report 36, section 2). Each such character becomes its number.
 */
export function printable(message: string): string {
  return message.replaceAll(unseen, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}
