/**
 * `make test` asks for the short form of a test (SHORT=1): fewer random cases, fewer rounds, and the same promises.
 * Everything else, `make test-long` and a single file among them, runs the whole of it.
 */
export const IS_SHORT = process.env.SHORT === '1'

/** How many cases, rounds, events or seeds a test takes: few in the short form, all in the long one. */
export function byLength(short: number, long: number): number {
  return IS_SHORT ? short : long
}
