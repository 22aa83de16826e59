import { maybeWindows } from './window.ts'

/** What a token is quoted in, where additive keys are asked for (`extra`). */
export const QUOTE = {
  quote_mint: 'text-',
  quote_symbol: 'text-',
  /** Are its dollars those of a known price? Else they are 0. */
  priced: 'flag-',
} as const

/** Additive keys of a token itself, where they are asked for. */
export const OF_TOKEN = {
  ...QUOTE,
  /** Was every event of it seen since its creation? Else its figures are of what was seen. */
  history_complete: 'flag-',
  /** From when on every event of it was seen; null: not known. */
  history_from: 'text?-',
  windows: maybeWindows,
} as const
