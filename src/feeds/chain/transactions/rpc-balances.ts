import { integerAt, isRecord, listAt, recordAt, textAt } from '../../../base/json-access.ts'
import { asU64 } from '../../../base/u64.ts'
import type { TokenBalanceChange } from './transaction.ts'

const U64_TEXT = /^\d{1,20}$/

interface MutableChange {
  owner: string
  mint: string
  beforeRaw: bigint
  afterRaw: bigint
  decimals?: number
}

/**
 * Token balances before and after, summed over the accounts of an owner. An account that is in
 * one list only did not exist (or hold the token) on the other side: 0 there. Entries without an
 * owner (old nodes) are left out.
 * @param unsent decimals of an entry that does not tell them; null: unknown
 */
export function balancesOfMeta(
  meta: unknown,
  unsent: number | null = null,
): readonly TokenBalanceChange[] {
  const changes = new Map<string, MutableChange>()
  const before = listAt(meta, 'preTokenBalances')
  const after = listAt(meta, 'postTokenBalances')
  if (before === null || after === null) return []
  for (const entry of before) {
    const found = changeOf(changes, entry, unsent)
    if (found !== null) found.change.beforeRaw += found.amount
  }
  for (const entry of after) {
    const found = changeOf(changes, entry, unsent)
    if (found !== null) found.change.afterRaw += found.amount
  }
  // Several accounts of hostile amounts must not pass what a u64 holds.
  for (const change of changes.values()) {
    change.beforeRaw = asU64(change.beforeRaw)
    change.afterRaw = asU64(change.afterRaw)
  }
  return [...changes.values()]
}

function changeOf(
  changes: Map<string, MutableChange>,
  entry: unknown,
  unsent: number | null,
): { change: MutableChange; amount: bigint } | null {
  if (!isRecord(entry)) return null
  const owner = textAt(entry, 'owner')
  const mint = textAt(entry, 'mint')
  const told = recordAt(entry, 'uiTokenAmount')
  const amount = textAt(told, 'amount')
  if (owner === null || mint === null || amount === null || !U64_TEXT.test(amount)) return null
  const key = `${owner} ${mint}`
  let change = changes.get(key)
  if (change === undefined) {
    const decimals = integerAt(told, 'decimals') ?? unsent
    change = { owner, mint, beforeRaw: 0n, afterRaw: 0n, ...(decimals !== null && { decimals }) }
    changes.set(key, change)
  }
  return { change, amount: BigInt(amount) }
}
