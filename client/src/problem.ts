/** What went wrong, as a value: nothing that a server sends or fails to send is thrown. */
export interface Problem {
  /**
   * The service's own code (docs/live.md, `code` of an HTTP error), or one of the client: `network`,
   * `timeout`, `closed`, `too_many_waiting`, `invalid_answer`, `invalid_frame`, `frame_too_large`,
   * `behind`, `lagging`, `silent` (a replica that is left for another, or waited for),
   * `invalid_event`, `no_answer`, `no_socket`, `listener`, `not_ready` (of `/readyz`), `http` (a refusal
   * without a code), `rate_limited` (the wait would be too long), `too_many_follows`, `message_too_long` (a key, filter or
   * epoch that no message has room for).
   */
  readonly code: string
  /** One sentence. */
  readonly message: string
  /** HTTP status; 0 when there was no HTTP answer. */
  readonly status: number
  /** Where in the request; HTTP 400 only. */
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

export function problem(code: string, message: string, status = 0): Problem {
  return { code, message, status, details: [] }
}

/** The sentence of anything that was thrown. Node's fetch keeps the reason below a "fetch failed". */
export function sentenceOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { message, cause } = thrown
  return cause instanceof Error && cause.message !== '' ? `${message} (${cause.message})` : message
}
