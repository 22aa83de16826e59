/** The wider copy `to` of a typed array, with what `from` holds. */
export function widened<T extends { set(from: T): void }>(to: T, from: T): T {
  to.set(from)
  return to
}
