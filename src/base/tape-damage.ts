/** An archived block could not be read, or is not what was written. */
export class TapeDamage extends Error {
  override readonly name = 'TapeDamage'
}
