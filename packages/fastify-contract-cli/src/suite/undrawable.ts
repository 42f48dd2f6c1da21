/** The suite does not know a value of this kind. The message says which. */
export class Undrawable extends Error {}

/** A schema contains itself, and has done so often enough. */
export class TooDeep extends Undrawable {}

/** What requests leave out, and why. */
export type LeftOut = Set<string>

/** Gives what `draw` makes; undefined where the suite knows no value, which is then noted as left out of a place. */
export function attempt<Drawn>(
  place: string,
  { leftOut }: { leftOut?: LeftOut },
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
