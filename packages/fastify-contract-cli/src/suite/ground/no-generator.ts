import { LeftOut } from './left-out.ts'

/** No value of this kind is known. The message says which. */
export class NoGenerator extends LeftOut {
  constructor(message: string, options?: ErrorOptions) {
    super('value', message, options)
  }
}

/** A schema contains itself, and has done so often enough. */
export class TooDeep extends NoGenerator {}

/** Gives what `draw` makes; undefined where no value is known, which is then noted as left out of a place. */
export function attempt<Drawn>(
  place: string,
  { skippedParts }: { skippedParts?: Set<string> },
  draw: () => Drawn,
): Drawn | undefined {
  try {
    return draw()
  } catch (error) {
    if (!(error instanceof NoGenerator)) throw error
    if (!(error instanceof TooDeep)) skippedParts?.add(`${place}: ${error.message}`)
    return undefined
  }
}
