import { signal } from '@preact/signals'
import type { Bar, BarsUpdate, Resolution, Subscription } from '../../../client/src/mintfeed.ts'
import { heard, live } from '../feed/connection.ts'
import { withBars } from '../feed/spark-feed.ts'
import { nextBeat } from '../frame/beat.ts'
import { serviceTimeIs } from '../frame/now.ts'

/** Bars the chart begins with, and keeps at most. */
const BARS_FIRST = 1_500
const BARS_MAX = 5_000

/** Bars of one mint and width, live. */
export class CandleFeed {
  readonly bars = signal<readonly Bar[]>([])
  readonly seq = signal<number | null>(null)
  readonly isLoading = signal(true)
  /** Why the service does not give these bars. */
  readonly problem = signal<string | null>(null)
  #subscription: Subscription<BarsUpdate> | null = null

  follow(mint: string, width: Resolution): void {
    this.close()
    this.isLoading.value = true
    this.problem.value = null
    this.bars.value = []
    const subscription = live.candles(mint, width, { countback: BARS_FIRST })
    this.#subscription = subscription
    void this.#read(subscription)
  }

  close(): void {
    this.#subscription?.close()
    this.#subscription = null
  }

  async #read(subscription: Subscription<BarsUpdate>): Promise<void> {
    for await (const update of subscription) {
      if (!this.isLoading.value) await nextBeat()
      if (subscription !== this.#subscription) return
      this.isLoading.value = false
      if (update.kind === 'refused') {
        // Bars that were shown go no further.
        this.problem.value = update.problem.message
        this.bars.value = []
        continue
      }
      const bars = update.isWhole ? update.bars : withBars(this.bars.value, update.bars)
      this.bars.value = bars.slice(-BARS_MAX)
      this.seq.value = update.seq
      serviceTimeIs(update.time)
      heard(update.seq)
    }
  }
}
