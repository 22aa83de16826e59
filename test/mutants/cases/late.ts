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

export const cases: readonly Case[] = [1, 20, 30, 31, 32, 33, 34].map(lateBy)
