import { isRecord, listAt, recordAt, textAt } from '../../base/json-access.ts'
import type { TokenBalanceChange } from './transaction.ts'

const U64_TEXT = /^\d{1,20}$/

interface MutableChange {
  owner: string
  mint: string
  beforeRaw: bigint
  afterRaw: bigint
}

/**
 * Token balances before and after, summed over the accounts of an owner. An account that is in
 * one list only did not exist (or hold the token) on the other side: 0 there. Entries without an
 * owner (old nodes) are left out.
 */
export function balancesOfMeta(meta: unknown): readonly TokenBalanceChange[] {
  const changes = new Map<string, MutableChange>()
  const before = listAt(meta, 'preTokenBalances')
  const after = listAt(meta, 'postTokenBalances')
  if (before === null || after === null) return []
  for (const entry of before) {
    const found = changeOf(changes, entry)
    if (found !== null) found.change.beforeRaw += found.amount
  }
  for (const entry of after) {
    const found = changeOf(changes, entry)
    if (found !== null) found.change.afterRaw += found.amount
  }
  return [...changes.values()]
}

function changeOf(
  changes: Map<string, MutableChange>,
  entry: unknown,
): { change: MutableChange; amount: bigint } | null {
  if (!isRecord(entry)) return null
  const owner = textAt(entry, 'owner')
  const mint = textAt(entry, 'mint')
  const amount = textAt(recordAt(entry, 'uiTokenAmount'), 'amount')
  if (owner === null || mint === null || amount === null || !U64_TEXT.test(amount)) return null
  const key = `${owner} ${mint}`
  let change = changes.get(key)
  if (change === undefined) {
    change = { owner, mint, beforeRaw: 0n, afterRaw: 0n }
    changes.set(key, change)
  }
  return { change, amount: BigInt(amount) }
}
