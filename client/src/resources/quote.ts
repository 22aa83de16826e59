/** What a token is quoted in, where additive keys are asked for (`extra`). */
export const QUOTE = {
  quote_mint: 'text-',
  quote_symbol: 'text-',
  /** Are its dollars those of a known price? Else they are 0. */
  priced: 'flag-',
} as const
