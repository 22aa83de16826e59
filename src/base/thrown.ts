/** What was thrown, in its own words: the message of an error, without the name of its class. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** What was thrown, with where it was: for a log, never for whoever asked. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}

/** The `code` of what was thrown, as system errors have one: "ENOENT" and the like; "" without. */
export function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : ''
  return typeof code === 'string' ? code : ''
}

/** What was thrown as an error, for who hands it on as one. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
