/** Throws when a rule of the market does not hold. */
export function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`broken: ${rule}`)
}
