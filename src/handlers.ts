import { handlerModules } from '../generated/handlers.ts'
import type { Handler, Handlers, OperationId } from './contract/types.ts'
import type { PlantStore } from './store/store.ts'

/** What the module of an operation exports: a function of the operation's name that makes its handler. */
type HandlerModule<Id extends OperationId> = { [Name in Id]: (plants: PlantStore) => Handler<Id> }

/** The line that proves that every operation has a handler of the right type. */
const modules: { [Id in OperationId]: () => Promise<HandlerModule<Id>> } = handlerModules

/**
 * Loads the handler of each operation.
 *
 * @param plants the store that they work on
 * @returns the handlers by operationId; one whose module is missing is missing, for the engine to refuse
 */
export async function loadHandlers(plants: PlantStore): Promise<Partial<Handlers>> {
  const loaded = await Promise.all(
    Object.entries(modules).map(async ([id, load]) => {
      try {
        // The type of `modules` says that the module of `id` exports a function of that name.
        const module = (await load()) as Record<string, (plants: PlantStore) => unknown>
        return [id, module[id]?.(plants)]
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' && (error as Error).message.includes(`/${id}.ts'`)) return [id, undefined]
        throw error
      }
    }),
  )
  return Object.fromEntries(loaded) as Partial<Handlers>
}
