import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent, TokenCreated } from '../../src/events/event.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { created, migrated, START_SECOND, swap } from '../oracle/fixtures.ts'
import { begun, recovered, SIZES } from './damage/folder.ts'
import { ImageDisk } from './damage/image-disk.ts'

const born = (over: Partial<TokenCreated>) => created({ tokenProgram: 'program', ...over })
const LONG = 'x'.repeat(300)

/** Events that a feed should have refused, each wrong in another way. */
const ODD: Readonly<Record<string, FeedEvent>> = {
  'a signature too long': born({ signature: LONG }),
  'no signature': born({ signature: '' }),
  'a mint too long': born({ mint: LONG }),
  'a line end in an address': born({ creator: 'a\nb' }),
  'half a character in an address': born({ bondingCurve: 'a\ud800' }),
  'half a character in a name': born({ name: '\udfff', symbol: '\u0000' }),
  'an amount of more than 64 bits': born({ supplyRaw: 2n ** 64n + 5n }),
  'an amount below 0': born({ virtualQuoteRaw: -1n }),
  'more decimals than there are': born({ decimals: 40 }),
  'a part of a second': born({ timestamp: START_SECOND + 0.5 }),
  'a slot below 0': born({ slot: -3 }),
  'a pool too long': migrated({ poolAmm: LONG }),
  'a price of 0': { type: 'sol_price', timestamp: START_SECOND, usd: 0 },
  'texts of a mint too long': {
    type: 'metadata',
    timestamp: START_SECOND,
    mint: LONG,
    image: LONG,
  },
}

test.each(Object.entries(ODD))('what was folded once is folded again at a start: %s', (_, odd) => {
  const disk = new ImageDisk()
  const { engine, journal, journaled } = begun(disk, {}, new Engine(SIZES))
  journaled.settings()
  journaled.events([born({ signature: 'first', mint: 'first' }), odd, swap({ mint: 'first' })])
  journal.close()
  const { engine: again } = recovered(disk)
  expect(again.seq).toBe(engine.seq)
  expect(stateDigest(again.parts)).toBe(stateDigest(engine.parts))
})
