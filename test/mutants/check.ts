/** One directed check: null when the source answers rightly, else the first difference. */
export interface Case {
  readonly name: string
  readonly run: () => string | null
}
