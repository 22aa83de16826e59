import type { Engine } from '../engine/engine.ts'
import type { FeedEvent } from '../engine/event.ts'
import type { EventSink, Feed } from '../engine/event-sink.ts'

/** Swaps without a price by which a replay is judged before its end. */
const JUDGED_SWAPS = 1_000

/** Says once that a replay brings swaps and nothing brings a price of SOL. */
export function tellingUnpriced(
  replay: Feed,
  { state }: Engine,
  say: (sentence: string) => void,
): Feed {
  let unpriced = 0
  let isTold = false
  const judge = (swapsMin: number): void => {
    if (isTold || unpriced < swapsMin) return
    isTold = true
    say(
      `${replay.name} brings no price of SOL, so that prices and sums in dollars are 0: replay it into an empty ` +
        'DATA_DIR with SOL_PRICE=file:<path> (lines of unix-seconds and price) or SOL_PRICE=fixed:<usd>.',
    )
  }
  const watched = (sink: EventSink): EventSink => ({
    events: (batch) => {
      sink.events(batch)
      if (isTold || state.solPriceUsd > 0) return
      unpriced += batch.filter(isSwap).length
      judge(JUDGED_SWAPS)
    },
    records: (batch) => sink.records(batch),
  })
  return {
    name: replay.name,
    start: async (sink) => {
      await replay.start(watched(sink))
      if (state.solPriceUsd === 0) judge(1)
    },
    stop: () => replay.stop(),
    figures: () => replay.figures?.() ?? {},
    notLive: () => replay.notLive?.() ?? null,
  }
}

function isSwap({ type }: FeedEvent): boolean {
  return type === 'swap'
}
