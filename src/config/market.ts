import { type FeedName, isLiveFeed } from './config.ts'

/** What a feed tells of: tokens that are made up, or those of the chain. */
export type Market = 'simulated' | 'chain'

/** The market of a FEED; null: not known (recordings, stdin, none), or both were asked for. */
export function marketOf(feeds: readonly FeedName[]): Market | null {
  const isSimulated = feeds.some(({ kind }) => kind === 'sim')
  const isOfTheChain = feeds.some(isLiveFeed)
  if (isSimulated === isOfTheChain) return null
  return isSimulated ? 'simulated' : 'chain'
}
