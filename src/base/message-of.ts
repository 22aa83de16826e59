/** What was thrown, in its own words: the message of an error, without the name of its class. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
