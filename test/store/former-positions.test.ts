import { expect, test } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { PositionFlag, PositionRowLane, SalesLane } from '../../src/engine/state/layout.ts'
import { PositionRecord } from '../../src/engine/state/position-rows.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { everyRead, firstUnlike } from '../model/every-read.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { formerState, loadFormer } from './former-state.ts'
import { behind, engineOf, foldSteps, stepsOf } from './restoring.ts'

const FIRST_SEED = 20_261_130
const HISTORIES = 60

test('a state with wide rows is read to the same positions, and late events take back what was folded since', () => {
  const forms = { own: 0, sales: 0, wide: 0 }
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) {
    const random = new Random(seed)
    const events = history(seed, 90).map((event) => small(event, seed % 3 === 0 ? 1n : 1_000n))
    const steps = stepsOf(events, seed)
    const cut = random.integer(30, 80)
    const whole = engineOf('event')
    foldSteps(whole, steps.slice(0, cut))
    const loaded = loadFormer([...formerState(whole.parts), ...whole.parts], engineOf('event'))
    expectSame(loaded, whole, events, `seed ${seed}, loaded`)
    const later = behind(whole, steps.slice(cut))
    foldSteps(whole, later)
    foldSteps(loaded, later)
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
