/** Why a token's texts were not had, one word each for the counters. */
export const REFUSALS = [
  'url',
  'scheme',
  'port',
  'address',
  'redirects',
  'pace',
  'status',
  'coding',
  'size',
  'dns',
  'time',
  'network',
  'json',
  'depth',
] as const
export type RefusalCode = (typeof REFUSALS)[number]

/** No answer that can be used. */
export interface Refusal {
  readonly refused: RefusalCode
  /** Another try would end the same way. */
  readonly isFinal: boolean
  /** The host answers, and what was asked for is not to be had: anybody can name such paths of any host. */
  readonly isOfPath?: boolean
  /** The server named a time to wait, in ms. */
  readonly retryAfterMs?: number
  /** The server says that it is or will be switched off (`Sunset`, RFC 8594). */
  readonly isSunset?: boolean
}

export function refusal(refused: RefusalCode, isFinal: boolean): Refusal {
  return { refused, isFinal }
}
