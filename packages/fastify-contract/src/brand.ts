/**
 * Makes `instanceof` true for the instances of every copy of the library that a process has loaded. npm may install
 * several, and plugins that throw or return such an instance may have another one than the server.
 *
 * @param name of the class, which all copies share
 */
export function brand(constructor: abstract new (...parameters: never[]) => object, name: string): void {
  const mark = Symbol.for(`fastify-contract.${name}`)
  Object.defineProperty(constructor.prototype, mark, { value: true })
  Object.defineProperty(constructor, Symbol.hasInstance, {
    value(this: typeof constructor, value: unknown): boolean {
      // A class that extends it inherits this function.
      if (this !== constructor) return Function.prototype[Symbol.hasInstance].call(this, value)
      return typeof value === 'object' && value !== null && mark in value
    },
  })
}
