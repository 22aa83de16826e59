import type { ChainTransaction } from '../chain/transactions/transaction.ts'
import { SUBSCRIBE } from './geyser-client.ts'
import { transactionOfGeyser } from './geyser-transaction.ts'
import { updateOf } from './geyser-update.ts'

/** The transaction in the bytes of an update; null: another update; `unreadable`: none at all. */
export function transactionOfUpdate(bytes: Buffer): ChainTransaction | null | 'unreadable' {
  try {
    const update = updateOf(SUBSCRIBE.responseDeserialize(bytes))
    if (update === null) return 'unreadable'
    const told = update.transaction
    return told === undefined ? null : transactionOfGeyser(told.slot ?? 0, told.transaction)
  } catch {
    return 'unreadable'
  }
}
