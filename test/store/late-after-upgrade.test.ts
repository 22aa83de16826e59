import { expect, test } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import type { Swap } from '../../src/events/event.ts'
import { everyRead } from '../model/every-read.ts'
import { recovered } from './damage/folder.ts'
import { goldenEvents, goldenFolder, keptFiles } from './golden/golden.ts'

/**
 * Journals and snapshots whose events late ones reach all: of version 3, of 120 events in 20 slots, and of
 * 0.9.23 (version 9 of snapshots), of swaps with no price, one of their own, a standing one and a feed's.
 */
const KEPT = {
  'v3-late': { seq: 120, events: () => goldenEvents() },
  'v10-late': { seq: 129, events: () => goldenEvents(goldenFolder('v10-late')) },
} as const
type Kept = keyof typeof KEPT

/**
 * What clamps of inventories made of positions before October 2026 stays in older snapshots; their journals,
 * folded anew, have it by the rule of now (a clamp before each transaction).
 */
const CLAMPED =
  /\\*"(pnl|pnl_sol|pnl_pct|realized_pnl_usd|realized_pnl_sol|unrealized_pnl_usd|unrealized_pnl_sol|untracked_tokens|cost_basis_usd|cost_basis_sol)\\*":[-+.0-9e]+/g

/** Every answer after a swap that comes so many slots late and tells a price, which holds for those behind it. */
function answersAfterLate(engine: Engine, kept: Kept, slots: number): string {
  const swap: Swap = {
    type: 'swap',
    ...{ slot: engine.newestSlot - slots, txIndex: 0, ordinal: 0, signature: 'late' },
    ...{ timestamp: engine.state.now, source: 'pump', mint: 'late mint', pool: 'late curve' },
    ...{ signer: 'late signer', direction: 'buy', baseRaw: 1_000_000n, quoteRaw: 1_000_000n },
    ...{ virtualBaseRaw: 1_000_000_000n, virtualQuoteRaw: 30_000_000_000n },
    ...{ realBaseRaw: 1_000_000n, realQuoteRaw: 1_000_000n },
    ...{ platformFeeRaw: 0n, creatorFeeRaw: 0n, solPriceUsd: 77.5 },
  }
  const before = engine.counts.lateFolded
  engine.accept(swap)
  expect(engine.counts.lateFolded, 'the swap is to be folded').toBe(before + 1)
  return textOf(everyRead(engine, [...KEPT[kept].events(), swap]))
}

for (const kept of ['v3-late', 'v10-late'] as const)
  for (const slots of [1, 10, 19])
    test(`a swap ${slots} slots late takes back what a snapshot of ${kept} remembers of births and swaps`, () => {
      const whole = keptFiles(kept)
      const journalAlone = keptFiles(kept)
      for (const path of [...journalAlone.files.keys()])
        if (path.endsWith('.mfs')) journalAlone.files.delete(path)
      const upgraded = recovered(whole)
      expect(upgraded.found.snapshotSeq).toBe(KEPT[kept].seq)
      const folded = recovered(journalAlone).engine
      const before = answersNow(upgraded.engine, kept)
      expect(before === answersNow(folded, kept)).toBe(true)
      const expected = answersAfterLate(folded, kept, slots)
      expect(answersAfterLate(upgraded.engine, kept, slots) === expected).toBe(true)
    })

function answersNow(engine: Engine, kept: Kept): string {
  return textOf(everyRead(engine, KEPT[kept].events()))
}

function textOf(answers: ReadonlyMap<string, string>): string {
  const others = [...answers].filter(([question]) => !question.includes('pnl'))
  expect(others.length).toBeLessThan(answers.size)
  return JSON.stringify(others).replaceAll(CLAMPED, '')
}
