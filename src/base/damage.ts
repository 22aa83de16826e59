/** A chain of records that leads back to where it was: a fault of this program, and no loop without end. */
export class EndlessChain extends Error {
  override readonly name = 'EndlessChain'

  constructor(chain: string) {
    super(`the chain of the ${chain} leads round in circles`)
  }
}

/**
 * The link of the record `index` in a chain whose links lead to older records, each + 1; 0 ends it.
 * @throws EndlessChain when it does not lead to an older one
 */
export function olderLink(linkPlus1: number, index: number, chain: string): number {
  if (linkPlus1 > index) throw new EndlessChain(chain)
  return linkPlus1
}

/**
 * One step more along a chain of rows that are used again, so that no link says whether it leads on.
 * @throws EndlessChain once there were as many as there are rows
 */
export function stepped(steps: number, rows: number, chain: string): number {
  if (steps >= rows) throw new EndlessChain(chain)
  return steps + 1
}

/** An archived block could not be read, or is not what was written. */
export class TapeDamage extends Error {
  override readonly name = 'TapeDamage'
}
