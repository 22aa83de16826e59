/** `devSoldAll` (contract section 2): what the creator got it sold or burned, and handed none on. */
import { creatorOf } from './classes.ts'
import { addSaturating } from './exact.ts'
import type { BalanceTold, Position } from './positions.ts'
import { decimalsOf, type FoldedSwap, type Token } from './world.ts'

/** The creator held some, now holds at most a millionth of a token, and handed on no more than that at once. */
export function devSoldAll(token: Token): boolean {
  const position = token.positions.get(creatorOf(token))
  if (position === undefined || !position.held) return false
  const millionth = 10 ** (decimalsOf(token) - 6)
  return (
    Number(position.balanceRaw) <= millionth &&
    leftUnsold(position).every(
      ({ raw, signature, burns }) =>
        Number(raw) <= millionth ||
        // A burn explains what is told behind it (decision 24).
        token.burns.slice(0, burns).some((burn) => burn.signature === signature && burn.raw >= raw),
    )
  )
}

/** Wherever a told balance is lower than what its own ledger makes of the swaps: by how much. */
function leftUnsold({ history }: Position): BalanceTold[] {
  const left: BalanceTold[] = []
  let ledger = 0n
  const told = (raw: bigint, signature: string, burns: number) => {
    if (raw < ledger) left.push({ raw: ledger - raw, signature, burns })
    ledger = raw
  }
  let open: FoldedSwap | null = null
  for (const step of history) {
    if (!('swap' in step)) {
      if (open) told(open.balanceAfterRaw, open.swap.signature, open.burns)
      open = null
      told(step.raw, step.signature, step.burns)
      continue
    }
    const { swap, transaction } = step
    // Balances are those before and after the transaction, not the swap.
    if (open?.transaction !== transaction) {
      if (open) told(open.balanceAfterRaw, open.swap.signature, open.burns)
      // What was gone before the transaction no burn of it explains.
      if (swap.baseBalanceBeforeRaw !== undefined) told(swap.baseBalanceBeforeRaw, '', 0)
    }
    ledger =
      swap.direction === 'buy'
        ? addSaturating(ledger, swap.baseRaw)
        : ledger - (ledger < swap.baseRaw ? ledger : swap.baseRaw)
    open = step
  }
  if (open) told(open.balanceAfterRaw, open.swap.signature, open.burns)
  return left
}
