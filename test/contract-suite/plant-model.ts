/** What a caller asks for. */
export type Action =
  | { kind: 'create'; caller: string; id: bigint; plant: Plant }
  | { kind: 'delete'; caller: string; id: bigint }
  | { kind: 'list'; caller: string; limit: number | undefined }

export interface Plant {
  name: string
  tag?: string
}

/** What is answered: a status, and the body of a success. */
export interface Outcome {
  status: number
  body?: unknown
}

/** What the service is said to do, as a Map of Maps: the plants of each caller by their ids. */
export class PlantModel {
  readonly #callers: Map<string, Map<bigint, Plant>>

  constructor(callers = new Map<string, Map<bigint, Plant>>()) {
    this.#callers = callers
  }

  /** Carries an action out and says what its outcome is. */
  apply(action: Action): Outcome {
    const plants = this.#callers.get(action.caller) ?? new Map<bigint, Plant>()
    this.#callers.set(action.caller, plants)
    switch (action.kind) {
      case 'create':
        if (plants.has(action.id)) return { status: 409 }
        plants.set(action.id, action.plant)
        return { status: 200, body: action.plant }
      case 'delete':
        return { status: plants.delete(action.id) ? 204 : 404 }
      case 'list':
        return { status: 200, body: sorted(plants).slice(0, action.limit) }
    }
  }

  copy(): PlantModel {
    return new PlantModel(new Map([...this.#callers].map(([caller, plants]) => [caller, new Map(plants)])))
  }

  /** Takes the state of another model. */
  become(other: PlantModel): void {
    this.#callers.clear()
    for (const [caller, plants] of other.#callers) this.#callers.set(caller, plants)
  }
}

function sorted(plants: Map<bigint, Plant>): Plant[] {
  return [...plants].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, plant]) => plant)
}
