import { ConfigError } from './setting-values.ts'

/** Feeds of the chain as it happens. */
type LiveKind = 'yellowstone' | 'solana' | 'pumpportal'

/** One part of FEED. */
export type FeedName =
  | { readonly kind: 'sim' | 'stdin' | 'none' | LiveKind }
  | { readonly kind: 'replay'; readonly file: string }

const OTHER_KINDS = ['sim', 'stdin', 'none'] as const
const LIVE_KINDS: readonly LiveKind[] = ['yellowstone', 'solana', 'pumpportal']

/**
 * FEED: one feed or several with commas.
 * @throws ConfigError
 */
export function feedSetting(text: string): FeedName[] {
  const parts = text.split(',').map((part) => part.trim())
  const names = parts.map(feedName)
  const twice = parts.find((part, i) => parts.indexOf(part) < i)
  // Two readers of one input would each get half of it.
  if (twice !== undefined) throw new ConfigError(`FEED has "${twice}" twice; once is enough.`)
  return names
}

function feedName(text: string): FeedName {
  for (const kind of [...OTHER_KINDS, ...LIVE_KINDS]) if (text === kind) return { kind }
  if (text.startsWith('replay:') && text.length > 'replay:'.length)
    return { kind: 'replay', file: text.slice('replay:'.length) }
  throw new ConfigError(
    `FEED is "${text}"; it must be sim, replay:<file>, stdin, yellowstone, solana, pumpportal or none, or several of them with commas.`,
  )
}

/** Is a live feed among them? */
export function hasFeed(feeds: readonly FeedName[], kind: LiveKind): boolean {
  return feeds.some((feed) => feed.kind === kind)
}

/** Whether a feed is the chain as it happens: no prices, no texts behind links. */
export function isLiveFeed(feed: FeedName): boolean {
  return LIVE_KINDS.some((kind) => kind === feed.kind)
}

/** Where the tokens of a feed come from: a simulation or the chain. */
export type Market = 'simulated' | 'chain'

/** The market of a FEED; null: unknown (recordings, stdin, none) or both. */
export function marketOf(feeds: readonly FeedName[]): Market | null {
  const isSimulated = feeds.some(({ kind }) => kind === 'sim')
  const isOfTheChain = feeds.some(isLiveFeed)
  if (isSimulated === isOfTheChain) return null
  return isSimulated ? 'simulated' : 'chain'
}
