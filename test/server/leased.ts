/** Something that is given to a server, and taken away from it when it has stopped. */
export interface Leased<T> {
  readonly value: T
  /** What it was can be collected from here on, whoever still holds `value`. */
  end(): void
}

/**
 * uWebSockets.js keeps the handlers of a closed app until the process ends, and they keep whatever
 * they name: for a test that starts hundreds of servers that is an engine each.
 */
export function leased<T extends object>(target: T): Leased<T> {
  const { proxy, revoke } = Proxy.revocable(target, {
    get: (held, key) => {
      const value: unknown = Reflect.get(held, key)
      // Private fields are the target's alone.
      return typeof value === 'function' ? value.bind(held) : value
    },
  })
  return { value: proxy, end: revoke }
}
