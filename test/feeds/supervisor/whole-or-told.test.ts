import { expect, test } from 'vitest'
import { Random } from '../../../src/base/random.ts'
import type { FeedEvent } from '../../../src/engine/event.ts'
import { Supervisor } from '../../../src/feeds/supervisor/supervisor.ts'
import { everySeed, PATIENCE } from '../peers/runs.ts'
import { LyingSource } from './lying-source.ts'
import { type TrueBlock, trueChain } from './true-chain.ts'
import { VirtualTimers } from './virtual-timers.ts'

const FIRST_SLOT = 1_000
const BLOCKS = 120
const SLOT_MS = 400
const LATE_SLOTS = 32
const AHEAD_SECONDS_MAX = 60
/** So far the clock of the machine is behind at times. */
const BEHIND_MS = 600_000
/** As after a restart of the service (`feed-setup/live-sources.ts`). */
const TOLD_AGAIN_SLOTS = 16

/**
 * What an engine with a journal keeps: each once, and the newest slot, where the next run goes on. What is too
 * late it refuses, which its counters say.
 */
class Kept {
  readonly signatures: string[] = []
  readonly #known = new Set<string>()
  newestSlot = 0
  newestSeconds = 0
  readonly refused = new Set<string>()
  readonly #timers: VirtualTimers

  constructor(timers: VirtualTimers) {
    this.#timers = timers
  }

  events(batch: readonly FeedEvent[]): void {
    for (const event of batch) {
      if (!('signature' in event) || event.slot === null || this.#known.has(event.signature))
        continue
      // Nobody is told that these are missing.
      if (event.timestamp > this.#timers.wallMs() / 1_000 + AHEAD_SECONDS_MAX) continue
      if (event.slot < this.newestSlot - LATE_SLOTS) {
        this.refused.add(event.signature)
        continue
      }
      this.#known.add(event.signature)
      this.signatures.push(event.signature)
      this.newestSlot = Math.max(this.newestSlot, event.slot)
      this.newestSeconds = Math.max(this.newestSeconds, event.timestamp)
    }
  }

  records(): void {
    throw new Error('live feeds tell events')
  }

  get cursor(): number {
    return this.newestSlot - TOLD_AGAIN_SLOTS
  }
}

/** Plays a chain through sources that lie, with stops of the service; then they are honest for a while. */
async function play(seed: number, isKilled: boolean) {
  const random = new Random(seed, 41)
  const timers = new VirtualTimers()
  const chain = trueChain(random, FIRST_SLOT, BLOCKS + 40)
  const kept = new Kept(timers)
  const startSeconds = timers.wallMs() / 1_000
  kept.newestSlot = FIRST_SLOT
  kept.newestSeconds = startSeconds
  const secondsOf = (slot: number) =>
    startSeconds + Math.floor(((slot - FIRST_SLOT) * SLOT_MS) / 1_000)
  const reports: string[] = []
  const sources = Array.from({ length: random.between(1, 2) }, (_, n) => {
    const firstSlot = random.pick([0, 0, 0, 0, FIRST_SLOT + random.below(BLOCKS), null])
    const given = { random, timers, chain, secondsOf, lag: random.below(4), isExact: n === 0 }
    return new LyingSource(`source${n}`, { ...given, firstSlot })
  })
  const start = () => {
    const sink = { events: (batch: readonly FeedEvent[]) => kept.events(batch), records: () => {} }
    const supervisor = new Supervisor({
      ...{
        sources,
        cursor: kept.cursor,
        cursorSeconds: kept.newestSeconds,
        timers,
        random: () => random.unit(),
      },
      report: (who, reason) => reports.push(`${who}: ${reason}`),
    })
    const ended = supervisor.start(sink)
    const stop = async () => {
      // A killed process hands nothing over any more.
      if (isKilled) sink.events = () => {}
      supervisor.stop()
      await timers.pass(0)
      await ended
    }
    return { supervisor, stop }
  }
  let run = start()
  for (const [index, block] of chain.entries()) {
    if (index < BLOCKS && random.chance(0.02)) timers.setMs = timers.setMs === 0 ? -BEHIND_MS : 0
    if (index === BLOCKS) timers.setMs = 0
    if (index === BLOCKS) for (const source of sources) source.isHonest = true
    for (const source of sources) source.come(index)
    await timers.pass(SLOT_MS * (block.slot - block.parentSlot))
    if (index < BLOCKS && random.chance(0.01)) {
      await run.stop()
      run = start()
    }
  }
  // Nothing waits for ever: the chain stands, and everything is settled.
  for (let minute = 0; minute < 10; minute++) await timers.pass(60_000)
  const figures = run.supervisor.figures()
  await run.stop()
  return { chain, kept, reports, figures }
}

/** Transactions that were neither handed over nor said to be missing. */
function lost(chain: readonly TrueBlock[], kept: Kept, reports: readonly string[]) {
  const told = new Set(kept.signatures)
  const givenUp = reports
    .map((report) => /slots (\d+) to (\d+) are given up/.exec(report))
    .filter((match) => match !== null)
    .map(([, from, to]) => [Number(from), Number(to)])
  return chain
    .slice(0, BLOCKS + 20)
    .filter(({ slot }) => slot >= FIRST_SLOT)
    .filter(({ slot }) => !givenUp.some(([from, to]) => slot >= from && slot <= to))
    .flatMap(({ signatures }) => signatures)
    .filter((signature) => !told.has(signature) && !kept.refused.has(signature))
}

test(
  'whatever sources lie about, what happened is handed over once or said to be missing',
  PATIENCE,
  async () => {
    const counts = { kept: 0, refused: 0 }
    await everySeed(async (seed) => {
      const { chain, kept, reports, figures } = await play(seed, seed % 2 === 0)
      const why = `${reports.slice(-6).join('; ')} ${JSON.stringify(figures)}`
      expect(lost(chain, kept, reports), why).toEqual([])
      counts.kept += kept.signatures.length
      counts.refused += kept.refused.size
    })
    // Two sources that fail at once, and a server that answers neither: more than a few are a fault.
    expect(counts.refused).toBeLessThan(counts.kept / 1_000)
  },
)
