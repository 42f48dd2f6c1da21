/** No value of this kind is known. The message says which. */
export class Undrawable extends Error {}

/** A schema contains itself, and has done so often enough. */
export class TooDeep extends Undrawable {}

/** Gives what `draw` makes; undefined where no value is known, which is then noted as left out of a place. */
export function attempt<Drawn>(
  place: string,
  { leftOut }: { leftOut?: Set<string> },
  draw: () => Drawn,
): Drawn | undefined {
  try {
    return draw()
  } catch (error) {
    if (!(error instanceof Undrawable)) throw error
    if (!(error instanceof TooDeep)) leftOut?.add(`${place}: ${error.message}`)
    return undefined
  }
}
