import { setTimeout } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { AddressBook } from '../../src/engine/state/address-book.ts'
import { SimulatorFeed } from '../../src/feeds/simulator/simulator.ts'
import { until } from '../feeds/until.ts'
import { turnsClock } from '../turns-clock.ts'
import { Auditor } from './auditor.ts'

const nowSeconds = (): number => Date.now() / 1000
const RATE = 2_000
const TOKENS = 500

/** Its history is told, and it trades now. */
async function live(auditor: Auditor, clock = nowSeconds): Promise<void> {
  await until(() => auditor.newestSeconds > clock() - 1.5)
}

function started(
  clock: () => number,
  auditedClock = clock,
): {
  feed: SimulatorFeed
  auditor: Auditor
  end: Promise<void>
} {
  const auditor = new Auditor(auditedClock)
  const startSeconds = Math.floor(clock())
  const addressBook = auditor.names
  const base = { seed: 3, tokens: TOKENS, rate: RATE, held: null }
  const options = { ...base, startSeconds, clock, addressBook }
  const feed = new SimulatorFeed(options)
  return { feed, auditor, end: feed.start(auditor) }
}

test('after its history the feed trades at the rate asked for, until it is stopped', async () => {
  const nowMs = turnsClock()
  const startSeconds = nowSeconds()
  const clock = () => startSeconds + nowMs() / 1000
  const { feed, auditor, end } = started(clock)
  await live(auditor, clock)
  const liveMs = nowMs()
  await until(() => nowMs() >= liveMs + 200)
  const before = auditor.counts.swaps
  const beforeMs = nowMs()
  await until(() => nowMs() >= beforeMs + 1_500)
  const perSecond = ((auditor.counts.swaps - before) * 1000) / (nowMs() - beforeMs)
  feed.stop()
  await end
  expect(auditor.tokens.size).toBeGreaterThanOrEqual(TOKENS)
  expect(perSecond).toBeGreaterThan(RATE * 0.8)
  expect(perSecond).toBeLessThan(RATE * 1.2)
  expect(clock() - auditor.newestSeconds).toBeLessThan(2)
  const after = auditor.counts.swaps
  await setTimeout(150)
  expect(auditor.counts.swaps).toBe(after)
})

test('a clock that is set back stops the trading, and no event lies in the future', async () => {
  let isSetBack = false
  let offset = 0
  // It is set back as the feed looks at it, and not in the middle of what the feed trades up to its last look.
  const looked = () => {
    if (isSetBack) offset = 100
    return nowSeconds() - offset
  }
  // The auditor's own clock is the one that was set back, so it throws on events from the future.
  const { feed, auditor, end } = started(looked, () => nowSeconds() - offset)
  await live(auditor)
  isSetBack = true
  await vi.waitFor(() => expect(offset).toBe(100), 20_000)
  const before = auditor.counts.swaps
  await setTimeout(300)
  expect(auditor.counts.swaps).toBe(before)
  feed.stop()
  await end
})

test('what the history has made is handed over before others have their turn', async () => {
  let nowMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    nowMs += 100
    return nowMs
  })
  let events = 0
  const feed = new SimulatorFeed({
    ...{ seed: 3, tokens: TOKENS, rate: 1, startSeconds: 1_800_000_000 },
    ...{ clock: nowSeconds, addressBook: new AddressBook(), held: null },
  })
  const end = feed.start({
    records: (batch) => {
      events += batch.events
    },
  })
  clock.mockRestore()
  expect(events).toBeGreaterThan(0)
  feed.stop()
  await end
})
