/** Widths of the windows of a token's trades in seconds, narrowest first (contract section 10). */
export const WINDOW_SECONDS = [60, 300, 3_600, 21_600, 86_400] as const
