import { LeftOut } from './left-out.ts'

/** No value of this kind is known. The message says which. */
export class NoGenerator extends LeftOut {
  constructor(message: string, options?: ErrorOptions) {
    super('value', message, options)
  }
}

/** A schema contains itself, and has done so often enough. */
export class TooDeep extends NoGenerator {}

/** No value of a part is known. The message names the part. */
export class UnknownPart extends NoGenerator {}

/** Gives what `draw` makes of a part that must be there. @throws NoGenerator that names the part, the innermost of several */
export function needed<Drawn>(place: string, draw: () => Drawn): Drawn {
  try {
    return draw()
  } catch (error) {
    if (!(error instanceof NoGenerator) || error instanceof TooDeep || error instanceof UnknownPart) throw error
    throw new UnknownPart(`${place}: ${error.message}`, { cause: error })
  }
}

/** Where what is left out is noted, and of which operation it is. */
export interface Notes {
  skippedParts?: Set<string>
  route?: string
}

/** Gives what `draw` makes; undefined where no value is known, which is then noted as left out of a place. */
export function attempt<Drawn>(place: string, { skippedParts, route }: Notes, draw: () => Drawn): Drawn | undefined {
  try {
    return draw()
  } catch (error) {
    if (!(error instanceof NoGenerator)) throw error
    if (!(error instanceof TooDeep))
      skippedParts?.add(`${route === undefined ? '' : `${route}: `}${place}: ${error.message}`)
    return undefined
  }
}
