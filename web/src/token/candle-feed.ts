import type { Bar, Resolution } from '../../../client/src/mintfeed.ts'
import { live } from '../feed/connection.ts'
import { withBars } from '../feed/spark-feed.ts'
import { StateFeed } from '../feed/state-feed.ts'

/** Bars the chart begins with, and keeps at most. */
const BARS_FIRST = 1_500
const BARS_MAX = 5_000

/** Bars of one mint and width, live. */
export class CandleFeed extends StateFeed<Bar> {
  follow(mint: string, width: Resolution): void {
    this.close()
    this.items.value = []
    const subscription = live.candles(mint, width, { countback: BARS_FIRST })
    void this.show(subscription, ({ isWhole, bars }) =>
      (isWhole ? bars : withBars(this.items.value, bars)).slice(-BARS_MAX),
    )
  }
}
