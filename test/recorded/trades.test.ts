import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { csvRows, csvToEvents } from '../feeds/csv.ts'
import { dataText, hasData, withData } from '../feeds/data-folder.ts'
import { everyRead, firstUnlike } from '../model/every-read.ts'
import { checkAll } from '../model/full-check.ts'
import { Pair } from '../model/pair.ts'

const text = hasData ? dataText('cryptorsi-trades', 'trades_data.csv') : ''
const events = hasData ? csvToEvents(text) : []
/** The file is not in the order of the chain; a feed that fills its gaps delivers in that order. */
const inOrder = events.toSorted(
  (a, b) =>
    (a.slot ?? 0) - (b.slot ?? 0) || (a.txIndex ?? 0) - (b.txIndex ?? 0) || a.ordinal - b.ordinal,
)
const COMPARED_POINTS = 20

test.skipIf(!hasData)(`every fee is its basis points of the amount, rounded up${withData}`, () => {
  const rows = csvRows(text)
  for (const [index, event] of events.entries()) {
    const row = rows[index]
    const ceil = (bps: string | undefined) =>
      (event.quoteRaw * BigInt(bps ?? '') + 9_999n) / 10_000n
    expect(event.platformFeeRaw).toBe(ceil(row?.fee_basis_points))
    expect(event.creatorFeeRaw).toBe(ceil(row?.creator_fee_basis_points))
  }
})

test.skipIf(!hasData)(`both trades of each double signature are kept${withData}`, () => {
  const perSignature = Map.groupBy(events, ({ signature }) => signature)
  const doubles = [...perSignature.values()].filter(({ length }) => length > 1)
  expect(doubles.length).toBeGreaterThan(100)
  const engine = folded()
  expect(engine.counts).toMatchObject({ duplicates: 0, lateRefused: 0, swaps: events.length })
  const answers = new EngineQueries(engine, () => {})
  for (const [first, second] of doubles) {
    const shown = swapsOf(answers, first?.mint ?? '').concat(
      first?.mint === second?.mint ? [] : swapsOf(answers, second?.mint ?? ''),
    )
    const kept = shown.filter(({ signature }) => signature === first?.signature)
    expect(kept.length).toBe(perSignature.get(first?.signature ?? '')?.length)
  }
})

test.skipIf(!hasData)(`the recorded trades folded twice change nothing${withData}`, () => {
  const engine = folded()
  const once = everyRead(engine, events)
  for (const event of inOrder) engine.accept(event)
  expect(engine.counts.swaps).toBe(events.length)
  expect(firstUnlike(everyRead(engine, events), once)).toBeNull()
})

test.skipIf(!hasData)(
  `engine and oracle agree on the recorded trades${withData}`,
  {
    timeout: 240_000,
  },
  () => {
    const pair = new Pair('event')
    const every = Math.ceil(inOrder.length / COMPARED_POINTS)
    for (const [index, event] of inOrder.entries()) {
      pair.apply(event)
      if (index % every === every - 1 || index === inOrder.length - 1)
        expect(checkAll(pair, index), `event ${index}`).toBeNull()
    }
  },
)

test.skipIf(!hasData)(
  `engine and oracle refuse the same trades of the file's order${withData}`,
  () => {
    const pair = new Pair('event')
    for (const event of events) pair.apply(event)
    const { duplicates, lateRefused } = pair.oracle.counts
    expect(lateRefused).toBeGreaterThan(0)
    expect(pair.engine.counts).toMatchObject({ duplicates, lateRefused })
    expect(checkAll(pair, 1)).toBeNull()
  },
)

test.skipIf(!hasData)(`reserves and progress keep the invariants of the curve${withData}`, () => {
  const answers = new EngineQueries(folded(), () => {})
  for (const event of events) {
    expect(event.virtualQuoteRaw - event.realQuoteRaw).toBe(30_000_000_000n)
    const product = Number(event.virtualBaseRaw) * Number(event.virtualQuoteRaw)
    expect(Math.abs(product / (1.073e15 * 30e9) - 1)).toBeLessThan(1e-6)
  }
  for (const mint of new Set(events.map((event) => event.mint)))
    for (const { bonding_curve_progress: progress } of swapsOf(answers, mint)) {
      expect(progress).toBeGreaterThanOrEqual(0)
      expect(progress).toBeLessThanOrEqual(100)
    }
})

interface ShownSwap {
  readonly signature: string
  readonly bonding_curve_progress: number
}

function folded(): Engine {
  const engine = new Engine({ clock: 'event' })
  for (const event of inOrder) engine.accept(event)
  return engine
}

/** Every swap of a mint, over all pages. */
function swapsOf(answers: EngineQueries, mint: string): ShownSwap[] {
  const all: ShownSwap[] = []
  for (let page = 1; ; page += 1) {
    const answer: { total: number; items: ShownSwap[] } = JSON.parse(
      answers.swaps(mint, null, { page, limit: 200 }),
    )
    all.push(...answer.items)
    if (answer.items.length === 0) break
  }
  return all
}
