/** Something the program promises did not hold. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

export function insist(holds: boolean, tell: () => string): void {
  if (!holds) throw new Violation(tell())
}
