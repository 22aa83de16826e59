import { type TrendingQuery, WINDOWS, type Window } from '../../../client/src/mintfeed.ts'

/** What the list shows; it is the part of the address behind `?`. */
export interface TrendingView {
  readonly window: Window
  readonly by: TrendingBy
}

/** What tokens are ranked by, with its name on the page. */
export const TRENDING_BY = {
  volume: 'Volume',
  trades: 'Trades',
  traders: 'Traders',
  price_change: 'Price change',
  new_holders: 'New holders',
} as const satisfies Record<NonNullable<TrendingQuery['by']>, string>
export type TrendingBy = keyof typeof TRENDING_BY

const DEFAULT: TrendingView = { window: '5m', by: 'volume' }

/** Reads `window=1h&by=traders`; what it does not know it leaves out. */
export function parseTrendingView(search: string): TrendingView {
  const parameters = new URLSearchParams(search)
  const by = parameters.get('by') ?? ''
  return {
    window: WINDOWS.find((window) => window === parameters.get('window')) ?? DEFAULT.window,
    by: isTrendingBy(by) ? by : DEFAULT.by,
  }
}

/** The other way: empty for the list that is shown first. */
export function trendingViewText({ window, by }: TrendingView): string {
  const parameters = new URLSearchParams()
  if (window !== DEFAULT.window) parameters.set('window', window)
  if (by !== DEFAULT.by) parameters.set('by', by)
  return parameters.toString()
}

export function isTrendingBy(text: string): text is TrendingBy {
  return Object.hasOwn(TRENDING_BY, text)
}
