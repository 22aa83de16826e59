import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeBase58 } from '../../src/base/base58.ts'
import { AddressBook } from '../../src/engine/address-book.ts'
import type { Swap } from '../../src/engine/event.ts'
import { RecordBatch } from '../../src/engine/record-batch.ts'
import { SwapIntake } from '../../src/engine/swap-intake.ts'
import { swapOfRecord } from '../../src/engine/swap-outtake.ts'
import { anyEvent } from '../feeds/arbitrary-events.ts'

const anySwap = anyEvent.filter((event): event is Swap => event.type === 'swap')
const chainSignature = fc.uint8Array({ minLength: 64, maxLength: 64 }).map(encodeBase58)

/** Swaps with signatures of any text, and with those of the chain. */
const swaps = fc.array(
  fc
    .tuple(anySwap, fc.option(chainSignature))
    .map(([swap, signature]) => (signature === null ? swap : { ...swap, signature })),
  { maxLength: 20 },
)

test('a record gives back the swap it was made of, whatever the swap', () => {
  fc.assert(
    fc.property(swaps, (given) => {
      const book = new AddressBook()
      const batch = new RecordBatch(given.length)
      const intake = new SwapIntake(book)
      for (const swap of given) intake.append(swap, batch)
      const { u32, f64 } = batch
      const read = given.map((_, i) => swapOfRecord({ u32, f64, at: RecordBatch.u32At(i) }, book))
      expect(read).toEqual(given)
    }),
  )
})
