import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { created, swap } from '../oracle/fixtures.ts'

const SEED = 1
const MINTS = 30
const SWAPS = 900
/** Of the state of snapshots of version 14: `verify` holds its folders to it. */
const DIGEST = 'fd5f0fa4446be8df8e264976f2223fe4f806a13b56fac8b6d91ab49e83e249fc'

test('launches with many buyers leave the very bytes of the version of the snapshots', () => {
  const engine = new Engine({ clock: 'event' })
  engine.events(launches())
  expect(stateDigest(engine.parts)).toBe(DIGEST)
})

/** Small groups buy in the slots of their mints' creation, some late, some before it is told. */
function launches(): FeedEvent[] {
  const random = new Random(SEED)
  const events: FeedEvent[] = []
  for (let n = 0; n < SWAPS; n++) {
    const mint = Math.floor((n * MINTS) / SWAPS)
    const slot = 1_000 + 3 * mint
    if (n % (SWAPS / MINTS) === 7 * (mint % 2))
      events.push(created({ ...about(mint, slot), txIndex: 0, signature: `creation ${mint}` }))
    events.push(
      swap({
        ...about(mint, slot + random.between(0, 2)),
        txIndex: random.between(1, 900),
        signature: `swap ${n}`,
        signer: `wallet ${random.between(0, 12)}`,
        direction: random.chance(0.2) ? 'sell' : 'buy',
        quoteRaw: BigInt(random.between(20, 90)) * 1_000_000n,
      }),
    )
  }
  return events
}

function about(mint: number, slot: number) {
  return { mint: `mint ${mint}`, slot, creator: 'wallet 0' }
}
