import type { TrendingQuery, TrendingToken } from '../../../client/src/mintfeed.ts'
import { live } from './connection.ts'
import { StateFeed } from './state-feed.ts'

/** What trends, as the service has it. */
export class TrendingFeed extends StateFeed<TrendingToken> {
  /** Follows this list in place of the one before. */
  follow(query: TrendingQuery): void {
    this.close()
    void this.show(live.trending(query), ({ trending }) => trending.items)
  }
}
