import { mapMembers } from 'fastify-contract/json'

/** A JSON value: an integer is a bigint, and a number that no double holds is a `RawText`. */
export type Json = unknown

/** What is written as it stands: a number of JSON that no double holds, or a text that somebody gives. */
export class RawText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A value as a receiver reads it: an integer of any length is a number. */
export function asRead(value: Json): Json {
  if (value instanceof RawText) return /^-?\d+$/.test(value.text) ? BigInt(value.text) : value
  return mapMembers(value, asRead)
}
