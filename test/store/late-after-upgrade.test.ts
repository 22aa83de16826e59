import { expect, test } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import type { Swap } from '../../src/events/event.ts'
import { everyRead } from '../model/every-read.ts'
import { swap } from '../oracle/fixtures.ts'
import { BOOT, recovered } from './damage/folder.ts'
import { BUSY_SIZES, BUSY_SNAPSHOT, busyHistory } from './golden/busy.ts'
import { goldenEvents, goldenFolder, keptFiles } from './golden/golden.ts'

/**
 * Journal and snapshot of 0.9.23 (version 9 of snapshots) whose events late ones reach all: of swaps with no price,
 * one of their own, a standing one and a feed's.
 */
const KEPT = 'v10-late'
const SEQ = 129
const events = goldenEvents(goldenFolder(KEPT))

/**
 * What clamps of inventories made of positions before October 2026 stays in older snapshots; their journals,
 * folded anew, have it by the rule of now (a clamp before each transaction).
 */
const CLAMPED =
  /\\*"(pnl|pnl_sol|pnl_pct|realized_pnl_usd|realized_pnl_sol|unrealized_pnl_usd|unrealized_pnl_sol|untracked_tokens|cost_basis_usd|cost_basis_sol)\\*":[-+.0-9e]+/g

/** Every answer after a swap that comes so many slots late and tells a price, which holds for those behind it. */
function answersAfterLate(engine: Engine, slots: number, before = events): string {
  const late: Swap = {
    type: 'swap',
    ...{ slot: engine.newestSlot - slots, txIndex: 0, ordinal: 0, signature: 'late' },
    ...{ timestamp: engine.state.now, source: 'pump', mint: 'late mint', pool: 'late curve' },
    ...{ signer: 'late signer', direction: 'buy', baseRaw: 1_000_000n, quoteRaw: 1_000_000n },
    ...{ virtualBaseRaw: 1_000_000_000n, virtualQuoteRaw: 30_000_000_000n },
    ...{ realBaseRaw: 1_000_000n, realQuoteRaw: 1_000_000n },
    ...{ platformFeeRaw: 0n, creatorFeeRaw: 0n, solPriceUsd: 77.5 },
  }
  const lateBefore = engine.counts.lateFolded
  engine.accept(late)
  expect(engine.counts.lateFolded, 'the swap is to be folded').toBe(lateBefore + 1)
  return textOf(everyRead(engine, [...before, late]))
}

for (const slots of [1, 10, 19])
  test(`a swap ${slots} slots late takes back what a snapshot of ${KEPT} remembers of births and swaps`, () => {
    const whole = keptFiles(KEPT)
    const journalAlone = keptFiles(KEPT)
    for (const path of [...journalAlone.files.keys()])
      if (path.endsWith('.mfs')) journalAlone.files.delete(path)
    const upgraded = recovered(whole)
    expect(upgraded.found.snapshotSeq).toBe(SEQ)
    const folded = recovered(journalAlone).engine
    expect(answersNow(upgraded.engine) === answersNow(folded)).toBe(true)
    const expected = answersAfterLate(folded, slots)
    expect(answersAfterLate(upgraded.engine, slots) === expected).toBe(true)
  })

function answersNow(engine: Engine): string {
  return textOf(everyRead(engine, events))
}

function textOf(answers: ReadonlyMap<string, string>): string {
  const others = [...answers].filter(([question]) => !question.includes('pnl'))
  expect(others.length).toBeLessThan(answers.size)
  return JSON.stringify(others).replaceAll(CLAMPED, '')
}

/** Swaps whose times are the first of hours and minutes of before. */
function tradeInThePast(engine: Engine): void {
  const { newestSlot, state } = engine
  const hour = state.now - (state.now % 3_600)
  for (let i = 1; i <= 40; i++)
    engine.accept(
      swap({
        slot: newestSlot,
        txIndex: 10_000 + i,
        timestamp: hour - Math.floor(i / 2) * 3_600 + (i % 2) * 1_800,
        signature: `past ${i}`,
        virtualQuoteRaw: BigInt(1 + (i % 7)) * 10n ** 10n,
      }),
    )
}

/** No bars stay but those that late events reach. */
const NO_BARS = { seconds: 0, minutes: 0 }
const BUSY_EVENTS = busyHistory()

for (const slots of [1, 15, 31])
  test(`a swap ${slots} slots late takes back bars of a snapshot whose minutes and hours lay among seconds`, () => {
    const engines = [keptFiles('v14-busy'), keptFiles('v14-busy')].map((disk, i) => {
      for (const path of [...disk.files.keys()])
        if (i === 1 && path.endsWith('.mfs')) disk.files.delete(path)
      const { engine, found } = recovered(disk, BOOT, {}, { ...BUSY_SIZES, keptBars: NO_BARS })
      expect(found.snapshotSeq ?? 0).toBe(i === 0 ? BUSY_SNAPSHOT : 0)
      return engine
    })
    for (const engine of engines) tradeInThePast(engine)
    const answers = engines.map((engine) => answersAfterLate(engine, slots, BUSY_EVENTS))
    expect(engines[0]?.state.bars.first).toBeGreaterThan(0)
    expect(answers[0] === answers[1]).toBe(true)
  })
