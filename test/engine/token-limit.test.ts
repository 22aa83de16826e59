import { expect, test } from 'vitest'
import { Service } from '../../src/app/service.ts'
import { Random } from '../../src/base/random.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { byLength } from '../lengths.ts'
import { history } from '../oracle/histories.ts'

const SETTINGS = { clock: 'event', lateSlots: 32 } as const
const mintOf = (event: FeedEvent) => ('mint' in event ? event.mint : null)

/** Events of the first tokens of a history, and all that are of no token: written down by hand. */
function ofFirstTokens(events: readonly FeedEvent[], maxTokens: number): FeedEvent[] {
  const mints = new Set<string>()
  return events.filter((event) => {
    const mint = mintOf(event)
    if (mint === null || mints.has(mint)) return true
    if (mints.size === maxTokens) return false
    mints.add(mint)
    return true
  })
}

test('with a limit the state is that of the first tokens alone, whatever the batches', () => {
  let refused = 0
  for (let seed = 1; seed <= byLength(5, 40); seed++) {
    const random = new Random(seed)
    const events = history(seed, 300)
    const tokens = new Set(events.map(mintOf).filter((mint) => mint !== null)).size
    const maxTokens = 1 + random.below(tokens)
    const limited = new Service({ ...SETTINGS, maxTokens })
    for (let from = 0; from < events.length; ) {
      const to = from + 1 + random.below(20)
      limited.events(events.slice(from, to))
      from = to
    }
    const first = ofFirstTokens(events, maxTokens)
    const alone = new Engine(SETTINGS)
    for (const event of first) alone.accept(event)
    const what = `seed ${seed}, ${maxTokens} of ${tokens} tokens`
    expect(limited.engine.state.tokens.count, what).toBeLessThanOrEqual(maxTokens)
    expect(limited.engine.seq, what).toBe(alone.seq)
    expect(digest(limited.engine), what).toBe(digest(alone))
    expect(limited.tokenLimit.refusedEvents, what).toBe(events.length - first.length)
    expect(limited.tokenLimit.reason === null, what).toBe(first.length === events.length)
    refused += events.length - first.length
  }
  expect(refused).toBeGreaterThan(byLength(100, 1_000))
})

/** Inner numbers follow the batches: rows are compared as the same calls would make them. */
function digest({ parts }: Engine): string {
  return stateDigest(parts)
}
