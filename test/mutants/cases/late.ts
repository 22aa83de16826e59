/** How late a swap may be. */
import { created, price, swap } from '../../oracle/fixtures.ts'
import type { Case } from '../check.ts'
import { story } from '../story.ts'

const lateBy = (slots: number) =>
  story(`${slots} slots late`, [
    price(150),
    created(),
    swap({ slot: 140, signer: 'first' }),
    swap({ slot: 160, signer: 'second' }),
    swap({ slot: 160 - slots, signer: 'late', quoteRaw: 77n }),
    swap({ slot: 161, signer: 'after', direction: 'sell' }),
  ])

/** The ninth trade of a wallet is taken back and folded again: it stays the ninth. */
const ninth = story('a wallet has the trades it had', [
  price(150),
  created(),
  created({ mint: 'other', txIndex: 1, signature: 'create other' }),
  swap({ slot: 105, signer: 'late' }),
  ...Array.from({ length: 9 }, (_, index) => swap({ slot: 110 + index, signer: 'busy' })),
  swap({ slot: 117, txIndex: 0, signer: 'late' }),
  swap({ slot: 130, mint: 'other', signer: 'busy' }),
])

export const cases: readonly Case[] = [...[1, 20, 30, 31, 32, 33, 34].map(lateBy), ninth]
