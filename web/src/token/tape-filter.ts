import type { Swap } from '../../../client/src/mintfeed.ts'

export interface TapeFilter {
  readonly direction: 'all' | 'buy' | 'sell'
  readonly wallets: TapeClass
  readonly minUsd: number
}

export const TAPE_CLASSES = [
  { key: 'all', label: 'All wallets' },
  { key: 'creator', label: 'Creator' },
  { key: 'sniper', label: 'Snipers' },
  { key: 'fresh', label: 'Fresh wallets' },
  { key: 'pro', label: 'Pro traders' },
] as const
export type TapeClass = (typeof TAPE_CLASSES)[number]['key']

export const PLAIN_TAPE: TapeFilter = { direction: 'all', wallets: 'all', minUsd: 0 }

/** Does a trade pass? `creator` is the token's. */
export function fits(
  swap: Pick<
    Swap,
    'direction' | 'volume_usd' | 'signer' | 'sniper_wallet' | 'fresh_wallet' | 'pro_trader'
  >,
  creator: string,
  { direction, wallets, minUsd }: TapeFilter,
): boolean {
  if (direction !== 'all' && swap.direction !== direction) return false
  if (swap.volume_usd < minUsd) return false
  switch (wallets) {
    case 'all':
      return true
    case 'creator':
      return swap.signer === creator
    case 'sniper':
      return swap.sniper_wallet
    case 'fresh':
      return swap.fresh_wallet
    case 'pro':
      return swap.pro_trader
  }
}
