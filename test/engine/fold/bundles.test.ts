import { expect, test } from 'vitest'
import type { FeedEvent } from '../../../src/events/event.ts'
import { checkAll } from '../../model/full-check.ts'
import { Pair } from '../../model/pair.ts'
import { follow } from '../../mutants/story.ts'
import { created, swap } from '../../oracle/fixtures.ts'

const SLOT = 1_000
/** As many instructions as a transaction holds. */
const BETWEEN = 60
/** Neither SOL nor USDC. */
const OTHER_QUOTE = 'another quote'

/** What bundlers hold of the mint, in percent; a difference to the oracle fails. */
function heldByBundlers(events: readonly FeedEvent[]): number {
  const pair = new Pair('event')
  expect(follow(pair, events)).toBeNull()
  expect(checkAll(pair, 1)).toBeNull()
  return JSON.parse(pair.answers.marketData(['mint']))[0].bundle_holding
}

test('who buys in one transaction bundles, however many swaps of it lie between', () => {
  const of = { slot: SLOT, txIndex: 1, signature: 'one transaction' }
  const between = Array.from({ length: BETWEEN }, (_, i) =>
    swap({ ...of, ordinal: i + 1, signer: 'seller', direction: 'sell' }),
  )
  const first = swap({ ...of, ordinal: 0, signer: 'first' })
  const last = swap({ ...of, ordinal: BETWEEN + 1, signer: 'last' })
  expect(heldByBundlers([first, ...between, last])).toBeGreaterThan(0)
})

test('buys whose slot nobody told are none of the launch slot that they came in', () => {
  const untold = { slot: null, txIndex: null }
  const buys = ['alice', 'bob'].map((signer) => swap({ ...untold, signer }))
  expect(heldByBundlers([created({ slot: SLOT }), ...buys])).toBe(0)
})

test('of a launch slot only those bundle whose slot was told', () => {
  const launch = [
    created({ slot: SLOT }),
    swap({ slot: SLOT, txIndex: 1, signer: 'alice' }),
    swap({ slot: null, txIndex: null, signer: 'bob' }),
  ]
  expect(heldByBundlers(launch)).toBe(0)
  const third = swap({ slot: SLOT, txIndex: 3, signer: 'carol' })
  expect(heldByBundlers([...launch, third])).toBeGreaterThan(0)
})

test('buys in a coin that is worth nothing known bundle nobody, however many units they pay', () => {
  const buys = ['alice', 'bob'].map((signer, i) =>
    swap({ slot: SLOT, txIndex: i + 1, signer, quoteMint: OTHER_QUOTE }),
  )
  expect(heldByBundlers([created({ slot: SLOT, quoteMint: OTHER_QUOTE }), ...buys])).toBe(0)
})
