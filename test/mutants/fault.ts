/**
 * What kills a fault: `model` (engine against oracle), the name of a file in cases/, or the path of
 * a vitest file. Asked in this order until one fails.
 */
export type Check = string

/** One planted bug: `find` stands exactly once in `file` and is replaced. */
export interface Fault {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly replace: string
  readonly tests: readonly Check[]
}
