import { expect, test } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { PositionFlag, PositionRowLane, SalesLane } from '../../src/engine/state/layout.ts'
import { PositionRecord } from '../../src/engine/state/position-rows.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { everyRead, firstUnlike } from '../model/every-read.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { formerPositions, NARROW_PARTS } from './former-positions.ts'
import { engineOf, foldSteps, stepsOf } from './restoring.ts'

const FIRST_SEED = 20_261_130
const HISTORIES = 60
const FORMER_VERSION = 13

test('a state with wide rows is read to the same positions, and late events take back what they did', () => {
  const forms = { own: 0, sales: 0, wide: 0 }
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) {
    const random = new Random(seed)
    const events = history(seed, 90).map((event) => small(event, seed % 3 === 0 ? 1n : 1_000n))
    const steps = stepsOf(events, seed)
    const cut = random.integer(30, 80)
    const whole = engineOf('event')
    foldSteps(whole, steps.slice(0, cut))
    const loaded = loadedAsFormer(whole)
    expectSame(loaded, whole, events, `seed ${seed}, loaded`)
    foldSteps(whole, steps.slice(cut))
    foldSteps(loaded, steps.slice(cut))
    expectSame(loaded, whole, events, `seed ${seed}, after ${cut} of ${steps.length} events`)
    count(whole, forms)
  }
  for (const [form, positions] of Object.entries(forms))
    expect(positions, form).toBeGreaterThan(HISTORIES / 2)
})

/** Amounts of dollars and SOL as most trades have them. */
function small(event: FeedEvent, divisor: bigint): FeedEvent {
  if (event.type !== 'swap') return event
  return { ...event, quoteRaw: event.quoteRaw / divisor }
}

/** An engine that loaded the state of another, written as versions before 14 had it. */
function loadedAsFormer(from: Engine): Engine {
  const into = engineOf('event')
  const saved = from.parts.filter(({ name }) => !NARROW_PARTS.includes(name))
  const former = formerPositions(from.parts)
  const parts = into.parts.map((part) => part.former?.(FORMER_VERSION) ?? part)
  for (const part of parts) {
    const source =
      former.find(({ name }) => name === part.name) ?? saved.find(({ name }) => name === part.name)
    const bytes = Buffer.concat(source?.views() ?? [])
    let at = 0
    for (const view of part.open(source?.facts() ?? [0])) {
      view.set(bytes.subarray(at, at + view.length))
      at += view.length
    }
    expect(at, part.name).toBe(bytes.length)
  }
  for (const part of parts) part.settle()
  return into
}

function expectSame(actual: Engine, expected: Engine, events: FeedEvent[], when: string): void {
  const [records, before] = [recordsOf(actual), recordsOf(expected)]
  expect(records.length, when).toBe(before.length)
  for (const [row, record] of records.entries())
    expect(record, `row ${row}, ${when}`).toBe(before[row])
  expect(firstUnlike(everyRead(actual, events), everyRead(expected, events)), when).toBeNull()
}

function recordsOf({ state }: Engine): string[] {
  const record = new PositionRecord()
  return Array.from({ length: state.positions.count }, (_, row) => {
    state.positions.copy(row, record)
    return record.u32.join()
  })
}

function count({ state: { positions } }: Engine, forms: Record<'own' | 'sales' | 'wide', number>) {
  for (let row = 0; row < positions.count; row++)
    if ((positions.get(row, PositionRowLane.flags) & PositionFlag.hasSales) === 0) forms.own += 1
    else {
      const sales = positions.get(row, PositionRowLane.salesPlus1) - 1
      forms[positions.sales.get(sales, SalesLane.sells) === 0 ? 'wide' : 'sales'] += 1
    }
}
