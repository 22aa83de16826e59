import { expect, test } from 'vitest'
import { resumedCursor, resumedSlotsOf } from '../../../src/app/feeds/live-sources.ts'
import { Random } from '../../../src/base/random.ts'
import { UnseenSlots } from '../../../src/engine/state/unseen-slots.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { Supervisor } from '../../../src/feeds/supervisor/supervisor.ts'
import { everySeed, PAIR_SEEDS, PATIENCE } from '../peers/runs.ts'
import { LyingSource } from './lying-source.ts'
import { trueChain } from './true-chain.ts'
import { VirtualTimers } from './virtual-timers.ts'

const FIRST_SLOT = 1_000
const SLOT_MS = 400
const LATE_SLOTS = 32
const AHEAD_SECONDS_MAX = 60
/** Blocks behind a rest of ten minutes: what was let go is noticed when the chain goes on. */
const LAST_BLOCKS = 5
/** So far the clock of the machine is behind at times. */
const BEHIND_MS = 600_000

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
  readonly unseen = new UnseenSlots()
  readonly #timers: VirtualTimers
  /** Unix seconds, as the engine has them: its clock never goes back. */
  #now = 0

  constructor(timers: VirtualTimers) {
    this.#timers = timers
  }

  events(batch: readonly FeedEvent[]): void {
    this.#now = Math.max(this.#now, this.#timers.wallMs() / 1_000)
    for (const event of batch) {
      if (event.type === 'gap') this.unseen.note(event)
      if (!('signature' in event) || event.slot === null || this.#known.has(event.signature))
        continue
      // Nobody is told that these are missing.
      if (event.timestamp > this.#now + AHEAD_SECONDS_MAX) continue
      const firstOpen = this.unseen.firstOpenSlot ?? Number.POSITIVE_INFINITY
      if (event.slot < Math.min(firstOpen, this.newestSlot - LATE_SLOTS)) {
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

  get cursor(): number | null {
    return resumedCursor(this.newestSlot, LATE_SLOTS)
  }
}

interface Plan {
  /** Blocks through which sources lie, and then those through which they are honest. */
  readonly blocks: number
  readonly honestBlocks: number
  /** The newest slot that was recovered: what nobody has before the first one is asked for in vain, for minutes. */
  readonly recoveredSlot: number
  /** Chances at a block that somebody sets the clock, and that the service stops and starts. */
  readonly sets: number
  readonly stops: number
  /** As in `Lies`. */
  readonly isRefusing: (blocks: number) => boolean
  /** As in `Supervisor`. */
  readonly gapWaitMs?: number
}

const SHORT: Plan = {
  ...{ blocks: 120, honestBlocks: 40, sets: 0.02, stops: 0.01 },
  recoveredSlot: FIRST_SLOT,
  isRefusing: () => false,
}

/** The slots that are held at most, and a piece that is just being told again. */
const HELD_MAX = 512 + 64

/** Of a hundred two in which slots that were let go were asked for again, and twice as many held. */
const LET_GO_SEEDS = [...PAIR_SEEDS, 21, 41]

/** For so long nobody tells old slots that more wait behind gaps than are held. */
const LONG: Plan = {
  ...{ blocks: 1_500, honestBlocks: 500, sets: 0.003, stops: 0 },
  recoveredSlot: FIRST_SLOT + LATE_SLOTS,
  isRefusing: (blocks) => blocks % 900 < 720,
}

/** Plays a chain through sources that lie, with stops of the service; then they are honest for a while. */
async function play(plan: Plan, seed: number, isKilled: boolean) {
  const { blocks, honestBlocks, isRefusing } = plan
  const random = new Random(seed, 41)
  const timers = new VirtualTimers()
  const chain = trueChain(random, FIRST_SLOT, blocks + honestBlocks + LAST_BLOCKS)
  const kept = new Kept(timers)
  const startSeconds = timers.wallMs() / 1_000
  kept.newestSlot = plan.recoveredSlot
  kept.newestSeconds = startSeconds
  const secondsOf = (slot: number) =>
    startSeconds + Math.floor(((slot - FIRST_SLOT) * SLOT_MS) / 1_000)
  const reports: string[] = []
  const sources = Array.from({ length: random.between(1, 2) }, (_, n) => {
    const firstSlot = random.pick([0, 0, 0, 0, FIRST_SLOT + random.below(blocks), null])
    const given = { random, timers, chain, secondsOf, lag: random.below(4), isExact: n === 0 }
    return new LyingSource(`source${n}`, { ...given, firstSlot, isRefusing })
  })
  const start = () => {
    let isGone = false
    const sink = { events: (batch: readonly FeedEvent[]) => kept.events(batch), records: () => {} }
    const supervisor = new Supervisor({
      ...{
        sources,
        cursor: kept.cursor,
        cursorSeconds: kept.newestSeconds,
        timers,
        random: () => random.unit(),
        backfillSlotsMax: 9_000,
        openGaps: kept.unseen.all.filter(({ isOpen }) => isOpen),
        unseenTo: kept.unseen.lastSlot,
        resumedSlots: resumedSlotsOf(LATE_SLOTS),
        ...(plan.gapWaitMs !== undefined && { gapWaitMs: plan.gapWaitMs }),
      },
      report: (who, reason) => {
        if (!isGone) reports.push(`${who}: ${reason}`)
      },
    })
    const ended = supervisor.start(sink)
    const stop = async () => {
      // A killed process hands nothing over any more, and says nothing.
      isGone = isKilled
      if (isKilled) sink.events = () => {}
      supervisor.stop()
      await timers.pass(0)
      await ended
    }
    return { supervisor, stop }
  }
  let run = start()
  let mostHeld = 0
  // Nothing waits for ever: ten minutes later everything is settled.
  const rest = async () => {
    for (let minute = 0; minute < 10; minute++) await timers.pass(60_000)
  }
  for (const [index, block] of chain.entries()) {
    if (index === blocks + honestBlocks) await rest()
    if (index < blocks && random.chance(plan.sets))
      timers.setMs = timers.setMs === 0 ? -BEHIND_MS : 0
    if (index === blocks) timers.setMs = 0
    if (index === blocks) for (const source of sources) source.isHonest = true
    for (const source of sources) source.come(index)
    await timers.pass(SLOT_MS * (block.slot - block.parentSlot))
    mostHeld = Math.max(mostHeld, run.supervisor.figures().feed_slots_held ?? 0)
    if (index < blocks && random.chance(plan.stops)) {
      await run.stop()
      run = start()
    }
  }
  await rest()
  const figures = run.supervisor.figures()
  await run.stop()
  return { chain, kept, reports, figures, blocks, mostHeld }
}

/** Transactions that were neither handed over nor said to be missing. */
function lost({ chain, kept, reports, blocks }: Awaited<ReturnType<typeof play>>) {
  const told = new Set(kept.signatures)
  const givenUp = reports
    .map((report) => /slots (\d+) to (\d+) (?:are given up|may lack)/.exec(report))
    .filter((match) => match !== null)
    .map(([, from, to]) => [Number(from), Number(to)])
  return chain
    .slice(0, blocks + 20)
    .filter(({ slot }) => slot >= FIRST_SLOT)
    .filter(({ slot }) => !givenUp.some(([from, to]) => slot >= from && slot <= to))
    .flatMap(({ signatures }) => signatures)
    .filter((signature) => !told.has(signature) && !kept.refused.has(signature))
}

function whyOf({ reports, figures }: Awaited<ReturnType<typeof play>>): string {
  return `${reports.slice(-6).join('; ')} ${JSON.stringify(figures)}`
}

test(
  'whatever sources lie about, what happened is handed over once or said to be missing',
  PATIENCE,
  async () => {
    const counts = { kept: 0, refused: 0 }
    await everySeed(async (seed) => {
      const played = await play(SHORT, seed, seed % 2 === 0)
      expect(lost(played), whyOf(played)).toEqual([])
      const { kept } = played
      counts.kept += kept.signatures.length
      counts.refused += kept.refused.size
    })
    // Two sources that fail at once, and a server that answers neither: more than a few are a fault.
    expect(counts.refused).toBeLessThan(counts.kept / 1_000)
  },
)

test(
  'what the chain goes on without for a while is handed over once or said to be missing, too',
  PATIENCE,
  async () => {
    await everySeed(async (seed) => {
      const played = await play({ ...SHORT, gapWaitMs: 3_000 }, seed, seed % 2 === 0)
      expect(lost(played), whyOf(played)).toEqual([])
      const lastSlot = played.chain.at(-1)?.slot ?? 0
      const isOpen = ({ isOpen, to }: { isOpen: boolean; to: number }) => isOpen && to <= lastSlot
      expect(played.kept.unseen.all.filter(isOpen), whyOf(played)).toEqual([])
    })
  },
)

test(
  'what is let go while nobody tells old slots is handed over once or said to be missing, too',
  PATIENCE,
  async () => {
    let letGo = 0
    await everySeed(async (seed) => {
      const played = await play(LONG, seed, false)
      expect(lost(played), whyOf(played)).toEqual([])
      expect(played.mostHeld).toBeLessThanOrEqual(HELD_MAX)
      letGo += played.figures.feed_held_dropped_total ?? 0
    }, LET_GO_SEEDS)
    // A seed that is run again by itself may be one in which none is.
    if (PAIR_SEEDS.length > 1) expect(letGo).toBeGreaterThan(500)
  },
)

/** Of a few hundred two in which slots that were asked for again lay more than 16 behind the newest one. */
const KILLED_SEEDS = [...PAIR_SEEDS, 45, 50]
/** Kills while nobody tells old slots for longer than it takes to notice a dead line. */
const KILLED: Plan = {
  ...{ blocks: 160, honestBlocks: 40, sets: 0, stops: 0.03 },
  recoveredSlot: FIRST_SLOT,
  isRefusing: (blocks) => blocks % 40 > 10,
}

test(
  'what is asked for again when the service is killed is asked for by the next one',
  PATIENCE,
  async () => {
    await everySeed(async (seed) => {
      const played = await play(KILLED, seed, true)
      expect(lost(played), whyOf(played)).toEqual([])
    }, KILLED_SEEDS)
  },
)

test(
  'what is asked for again when the service is killed is told as a gap where later slots went on',
  PATIENCE,
  async () => {
    await everySeed(async (seed) => {
      const played = await play({ ...KILLED, gapWaitMs: 3_000 }, seed, true)
      expect(lost(played), whyOf(played)).toEqual([])
    }, KILLED_SEEDS)
  },
)
