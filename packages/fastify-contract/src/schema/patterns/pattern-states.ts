/** A state of a pattern's automaton: the positions in the pattern that a match may have reached. */
interface State {
  readonly nfaStates: readonly number[]
}

/** Its automaton. */
interface Automaton {
  readonly startStates: ReadonlyMap<number, State>
  /** The first character of each class of characters that the pattern does not tell apart, except the first class. */
  readonly classBounds: Int32Array
  /** The state after a character. @returns null if the memory is full */
  step(state: State, characterClass: number, character: number, anchor: number): State | null
  /** Adds the positions that need no further character. @param assertions that hold, such as `\b` */
  closure(positions: number[], assertions: number): { pcs: number[] }
}

interface Instruction {
  /** The characters that lead on to `out`; empty for other instructions. */
  readonly runes: Int32Array
  readonly out: number
  matchRune(character: number): boolean
}

/** The parts of RE2JS's set of patterns that are used here. Its own types have `any` for most. */
interface Engine {
  readonly anchor: number
  readonly dfa: Automaton
  readonly prog: { readonly inst: readonly Instruction[]; readonly start: number; numInst(): number }
}

/** The limit of a search, in positions. It takes some 20 ms. */
const maxWork = 200_000

/** RE2JS's counts of bytes for a state, for its table, and for a member of one of them. */
const bytesOf = { state: 200, member: 8 } as const

const endOfText = -1
const lastCharacter = 0x10ffff
/** RE2JS's flag of `^`, and all of its flags. */
const [beginText, everyAssertion] = [0x04, 0xff]

/**
 * Finds the states that any text can bring about in the automaton of a pattern, and fills its cache with them.
 *
 * @param engine a set of one pattern with memory for the search
 * @returns the memory for the states and a full table of their successors, in bytes; Infinity if the states are too many
 */
export function bytesOfStates(engine: Engine): number {
  const { dfa: automaton } = engine
  const classes = [0, ...automaton.classBounds]
  const characters = distinctClasses(engine, classes).map((each) => [each, classes[each]!] as const)
  const found = new Set(automaton.startStates.values())
  let [positions, work] = [0, 0]
  // Iterating a Set includes the members added meanwhile.
  for (const state of found) {
    positions += state.nfaStates.length
    for (const [characterClass, character] of [...characters, [classes.length, endOfText] as const]) {
      work += 1 + state.nfaStates.length
      const next = work > maxWork ? null : automaton.step(state, characterClass, character, engine.anchor)
      if (next === null) return Infinity
      found.add(next)
    }
  }
  return found.size * bytesOf.state + (positions + found.size * (classes.length + 1)) * bytesOf.member
}

/**
 * One of each group of classes on which all instructions agree. `\p{L}` alone has hundreds of classes.
 *
 * @param classes the first character of each
 */
function distinctClasses({ prog }: Engine, classes: number[]): number[] {
  const instructions = prog.inst.filter(({ runes }) => runes.length > 0)
  const distinct = [...new Map(instructions.map((each) => [each.runes.join(), each])).values()]
  // Assertions such as \b depend on these.
  const kindOf = (character: number) =>
    character === 0x0a ? 'n' : /\w/.test(String.fromCodePoint(character)) ? 'w' : ''
  const keyOf = (character: number) =>
    kindOf(character) + distinct.map((each) => Number(each.matchRune(character))).join('')
  const characters = classes.filter((character) => character <= lastCharacter)
  return [...new Map(characters.map((character, index) => [keyOf(character), index])).values()]
}

/**
 * The most positions in a pattern that a match without cached states can look at, for a text of each length: all that any
 * text of this length can reach, and twice the size of the pattern to prepare the match.
 */
export function positionsWithin({ prog, dfa: automaton }: Engine): (length: number) => number {
  const size = prog.numInst()
  // `^` holds at the start alone. In unanchored text, a match may start again at each character.
  const closureOf = (positions: number[], assertions: number) =>
    automaton.closure([...positions, prog.start], assertions).pcs
  let reached = closureOf([], everyAssertion)
  const sums = [2 * size + reached.length]
  let [isStable, work] = [false, 0]
  while (!isStable && work < maxWork) {
    const before = reached
    const next = reached.map((position) => prog.inst[position]!).filter(({ runes }) => runes.length > 0)
    reached = closureOf(
      next.map(({ out }) => out),
      everyAssertion & ~beginText,
    )
    isStable = reached.join() === before.join()
    work += reached.length
    sums.push(sums.at(-1)! + reached.length)
  }
  const rest = isStable ? reached.length : size
  return (length) => sums[length] ?? sums.at(-1)! + (length + 1 - sums.length) * rest
}
