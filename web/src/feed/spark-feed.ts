import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type {
  Bar,
  BarsUpdate,
  Resolution,
  Subscription,
  TableRow,
} from '../../../client/src/mintfeed.ts'
import { nextBeat } from '../frame/beat.ts'
import { SLOW_BEAT_MS } from '../frame/beat-times.ts'
import { nowSeconds } from '../frame/now.ts'
import { parseTime } from '../text/time-form.ts'
import { live } from './connection.ts'

/** Bars of a line. */
const BARS = 40
/** Lines followed at most: the service allows 100 candles a connection. Rows beyond it have no line. */
const FOLLOWED_MAX = 90
/** Lines kept in all; those that nobody wants go when there are more. */
const KEPT_MAX = 400
/** Scrolling past a row is no reason to follow it: wants are looked at after this pause, in ms. */
const PAUSE_MS = 250

interface Line {
  readonly closes: Signal<readonly number[]>
  subscription: Subscription<BarsUpdate> | null
}

/** Recent prices of the tokens whose rows are seen, from the candles of the service. */
class SparkFeed {
  readonly #wanted = new Map<string, readonly TableRow[]>()
  readonly #lines = new Map<string, Line>()
  #timer = 0

  constructor() {
    // A line that nobody sees need not be followed.
    document.addEventListener('visibilitychange', () => this.#later())
  }

  closesOf(mint: string): ReadonlySignal<readonly number[]> {
    return this.#line(mint).closes
  }

  /** The rows of a list that are seen now. */
  want(list: string, rows: readonly TableRow[]): void {
    this.#wanted.set(list, rows)
    this.#later()
  }

  #later(): void {
    if (this.#timer === 0) this.#timer = setTimeout(() => this.#settle(), PAUSE_MS)
  }

  #line(mint: string): Line {
    const known = this.#lines.get(mint)
    if (known !== undefined) return known
    const line: Line = { closes: signal([]), subscription: null }
    this.#lines.set(mint, line)
    return line
  }

  #settle(): void {
    this.#timer = 0
    const wanted = document.hidden ? [] : [...this.#wanted.values()].flat()
    const rows = wanted.slice(0, FOLLOWED_MAX)
    const mints = new Set(rows.map(({ mint }) => mint))
    for (const [mint, line] of this.#lines) {
      if (mints.has(mint)) continue
      line.subscription?.close()
      line.subscription = null
      if (this.#lines.size > KEPT_MAX) this.#lines.delete(mint)
    }
    for (const row of rows) this.#follow(row)
  }

  #follow({ mint, timestamp }: TableRow): void {
    const line = this.#line(mint)
    if (line.subscription !== null) return
    const ageSeconds = nowSeconds.value - (parseTime(timestamp) ?? 0)
    const subscription = live.candles(mint, widthFor(ageSeconds), { countback: BARS })
    line.subscription = subscription
    void readCloses(subscription, line.closes)
  }
}

/** Wide enough that the line spans a good part of the token's life. */
function widthFor(ageSeconds: number): Resolution {
  if (ageSeconds < 600) return '5S'
  if (ageSeconds < 3_600) return '1'
  return ageSeconds < 6 * 3_600 ? '5' : '30'
}

async function readCloses(
  subscription: Subscription<BarsUpdate>,
  closes: Signal<readonly number[]>,
): Promise<void> {
  let bars: readonly Bar[] = []
  for await (const update of subscription) {
    if (update.kind === 'refused') return
    bars = (update.isWhole ? update.bars : withBars(bars, update.bars)).slice(-BARS)
    closes.value = bars.map(({ close }) => close)
    // The mailbox gathers what comes meanwhile.
    await nextBeat(SLOW_BEAT_MS)
  }
}

/** Bars with changed ones in their places. */
export function withBars(bars: readonly Bar[], changed: readonly Bar[]): readonly Bar[] {
  const byTime = new Map(bars.map((bar) => [bar.time, bar]))
  for (const bar of changed) byTime.set(bar.time, bar)
  return [...byTime.values()].sort((a, b) => a.time - b.time)
}

export const sparkFeed = new SparkFeed()
