/**
 * How much of the tests runs. `make test` asks for the short form (SHORT=1): fewer random cases, fewer rounds, and the
 * same promises, without the files of test/long-files.ts. `make test-all` runs these too (SHORT=cases). Everything else,
 * `make test-long` and a single file among them, runs the whole of it.
 */
export const LENGTH =
  process.env.SHORT === '1' ? 'short' : process.env.SHORT === 'cases' ? 'few cases' : 'whole'

/** How many cases, rounds, events or seeds a test takes: few in the short forms, all in the long one. */
export function byLength(short: number, long: number): number {
  return LENGTH === 'whole' ? long : short
}
