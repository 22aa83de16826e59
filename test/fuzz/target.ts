import type { Random } from '../../src/base/random.ts'

/** A reader under fuzz. Inputs are bytes, so that every one can be kept in the corpus. */
export interface FuzzTarget {
  /** Name of its folder in the corpus. */
  readonly name: string
  /** An input made anew after the format's grammar. */
  make(random: Random): Buffer
  /** Words of the format that mutations put in. */
  readonly words: readonly string[]
  /** Reads the input; throws when a rule is broken. Everything that the format allows is no fault. */
  run(input: Buffer): void
}

/** A rule that an input broke. */
export class Broken extends Error {}

/** Throws unless the rule holds. */
export function holds(isSo: boolean, rule: string): void {
  if (!isSo) throw new Broken(rule)
}

/** Lines of the log about a request that met a defect, on a route or on the live feed. */
export const DEFECT = /A route threw|A live request threw/
