/** Errors that several rooms know, and readers of any thrown value. */

/** The message of an error, without the name of its class. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** The stack of an error: for a log, never for a client. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}

/** The `code` of a system error, like "ENOENT"; "" without one. */
export function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : ''
  return typeof code === 'string' ? code : ''
}

/** Anything that was thrown as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** A chain of records that leads back to itself: a fault of this program, thrown in place of an endless loop. */
export class EndlessChain extends Error {
  override readonly name = 'EndlessChain'

  constructor(chain: string) {
    super(`the chain of the ${chain} leads round in circles`)
  }
}

/**
 * The link of the record `index` in a chain of links to older records; a link is an index + 1, and 0 ends the chain.
 * @throws EndlessChain when it does not lead to an older record
 */
export function olderLink(linkPlus1: number, index: number, chain: string): number {
  if (linkPlus1 > index) throw new EndlessChain(chain)
  return linkPlus1
}

/**
 * Counts a step along a chain of reused rows, where the order of links says nothing.
 * @throws EndlessChain after as many steps as there are rows
 */
export function stepped(steps: number, rows: number, chain: string): number {
  if (steps >= rows) throw new EndlessChain(chain)
  return steps + 1
}

/** Can history not be read, so that whoever asked for it goes on without it, or is told so? */
export function isHistoryDamage(error: unknown): boolean {
  return error instanceof TapeDamage || error instanceof EndlessChain
}

/** An archived block that cannot be read or is not what was written. */
export class TapeDamage extends Error {
  override readonly name = 'TapeDamage'
}
