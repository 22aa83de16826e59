import { expect, test } from 'vitest'
import { SEEDS } from '../peers/runs.ts'
import { SeededRandom } from '../seeded-random.ts'
import { bogusCreate, type MarketFrame, portalMarket } from './portal-market.ts'
import { digestOf, eventsOf, PortalRun } from './portal-run.ts'

const FAULTS = [
  'drop',
  'duplicate',
  'reorder',
  'disconnect',
  'lossy disconnect',
  'stall',
  'huge',
  'garbage',
  'bogus',
  'other platform',
] as const
/** One frame in so many meets a fault. */
const FAULT_EVERY = 6
const GARBAGE = ['{', '[]', 'null', '{"txType":"buy","pool":"pump","mint":1}', '{"__proto__":{}}']

type Faults = Record<(typeof FAULTS)[number], number>

interface Outcome {
  /** Frames that came through, first copies only, in the order they came. */
  readonly through: readonly MarketFrame[]
  readonly market: readonly MarketFrame[]
  readonly faults: Faults
}

/** Plays a market through a server that fails by the seed. */
async function play(run: PortalRun, seed: number): Promise<Outcome> {
  const random = new SeededRandom(seed * 7_919)
  const market = portalMarket(random)
  const through: MarketFrame[] = []
  const faults = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Faults
  let connections = 1
  const deliver = (frame: MarketFrame) => {
    run.send(frame.text)
    through.push(frame)
  }
  const again = async () => {
    connections += 1
    await run.connected(connections)
  }
  for (let at = 0; at < market.length; at++) {
    const frame = market[at]
    const fault = random.below(FAULT_EVERY) === 0 ? random.pick(FAULTS) : null
    if (fault !== null) faults[fault] += 1
    if (fault === 'drop') continue
    if (fault === 'reorder' && at + 1 < market.length) deliver(market[++at])
    if (fault === 'lossy disconnect') {
      await run.settled()
      run.server.cut()
      await again()
      continue
    }
    deliver(frame)
    if (fault === 'duplicate') run.send(frame.text)
    if (fault === 'garbage') run.send(random.pick(GARBAGE))
    if (fault === 'bogus') run.send(bogusCreate(random))
    if (fault === 'other platform') run.send('{"txType":"create","pool":"bonk","mint":"x"}')
    if (fault !== 'disconnect' && fault !== 'stall' && fault !== 'huge') continue
    await run.settled()
    if (fault === 'disconnect') run.server.cut()
    if (fault === 'huge') run.server.say(' '.repeat(300_000))
    // A stall needs nothing: time passes and nothing comes.
    await again()
  }
  await run.settled()
  return { through, market, faults }
}

/** Trades that do not come right behind the one that they follow on from. */
function gapsOf({ through, market }: Outcome): number {
  const before = new Map<MarketFrame, MarketFrame | null>()
  const last = new Map<string, MarketFrame>()
  for (const frame of market) {
    before.set(frame, last.get(frame.mint) ?? null)
    last.set(frame.mint, frame)
  }
  const lastThrough = new Map<string, MarketFrame>()
  let gaps = 0
  for (const frame of through) {
    const known = lastThrough.get(frame.mint)
    lastThrough.set(frame.mint, frame)
    // The reserves of a pool begin anew, and without anything before there is nothing to compare.
    const isJudged = frame.kind === 'trade' && known !== undefined && known.kind !== 'migrate'
    if (isJudged && known !== before.get(frame)) gaps += 1
  }
  return gaps
}

test.each(SEEDS)('schedule %i: the state is that of the frames that came through', async (seed) => {
  const run = await PortalRun.start()
  try {
    const outcome = await play(run, seed)
    const { faults } = outcome
    expect(digestOf(run.sink.all)).toBe(digestOf(eventsOf(run.sent)))
    expect(run.figure('gaps_total'), 'gaps').toBe(gapsOf(outcome))
    expect(run.figure('duplicate_frames_total'), 'duplicates').toBe(faults.duplicate)
    expect(run.figure('unusable_frames_total'), 'garbage').toBe(faults.garbage)
    expect(run.figure('bogus_frames_total'), 'bogus').toBe(faults.bogus)
    expect(run.figure('other_platforms_total'), 'others').toBe(faults['other platform'])
    expect(run.figure('huge_frames_total'), 'huge').toBe(faults.huge)
    const ends = run.figure('losses_total') + run.figure('refusals_total')
    expect(ends, 'connections').toBe(
      faults.disconnect + faults['lossy disconnect'] + faults.huge + faults.stall,
    )
    expect(run.figure('stalls_total') + run.figure('watchdog_total')).toBe(faults.stall)
    if (faults.drop + faults['lossy disconnect'] + faults.reorder === 0) {
      const whole = outcome.market.map(({ text }, at) => ({ ...run.sent[at], text }))
      expect(run.sink.all).toHaveLength(eventsOf(whole).length)
    }
  } finally {
    await run.end()
  }
})
