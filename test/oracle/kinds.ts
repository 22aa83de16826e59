/**
 * What histories hold beside plain trades, kind by kind. Each has a weight: 1 as often as by default,
 * 0 never, 3 three times as often. MODEL_KINDS names those that are on in a test run:
 *
 *     MODEL_KINDS=none                  plain histories, as they were before October 2026
 *     MODEL_KINDS=mayhem,boost          these two and nothing else
 *     MODEL_KINDS=-route_in,-route_out  all but these
 */
export const KINDS = [
  /** Fees of an AMM swap, sometimes of a curve's. */
  'lp_fee',
  'cashback',
  /** A completing buy that goes on out of the pool to be. */
  'post_complete',
  /** `reserves` of each reason; a burn has the creator's balance behind it. */
  'mayhem',
  'boost',
  'deposit',
  'withdraw',
  'pool_opened',
  'burn',
  /** Any reason of any source at any stage, with zeros among the reserves. */
  'odd_reserves',
  /** Reserves and balances of mints that nobody knows, or not yet. */
  'unknown_mint',
  /** `balance` of wallets that trade; of wallets that only hold. */
  'trader_balance',
  'receiver_balance',
  'never_holder_balance',
  'balance_above_supply',
  /** What the chain says of a mint, of its creation's content or another. */
  'token_state',
  /** 0 for a wallet that nobody named. */
  'zero_balance',
  /** A creator that buys and hands on in one transaction, or hands on alone. */
  'creator_forward',
  /** Tokens quoted in a token that is there already; that is itself quoted in one. */
  'coin_quote',
  'deep_coin',
  /** Quoted in one another, or in itself. */
  'coin_circle',
  'unknown_coin',
  /** The coin is born behind the token that is quoted in it. */
  'late_coin',
  /** `quote_decimals` of a coin, the same in all events that name it. */
  'quote_decimals',
  /** Swaps that name another coin, or other decimals, than the others of their mint. */
  'quote_contradiction',
  /** Two hops in one transaction, into a coin and out of it; and numbers that no route has. */
  'route_in',
  'route_out',
  'broken_route',
  /** Reserves and balances again with other content, and much later than others. */
  'repeated',
  'late',
  /** Slots that are not delivered in their turn, but behind later ones or never. */
  'gap',
] as const
export type Kind = (typeof KINDS)[number]

export type Kinds = Readonly<Record<Kind, number>>

export const NO_KINDS: Kinds = {
  lp_fee: 0,
  cashback: 0,
  post_complete: 0,
  mayhem: 0,
  boost: 0,
  deposit: 0,
  withdraw: 0,
  pool_opened: 0,
  burn: 0,
  odd_reserves: 0,
  unknown_mint: 0,
  trader_balance: 0,
  receiver_balance: 0,
  never_holder_balance: 0,
  balance_above_supply: 0,
  token_state: 0,
  zero_balance: 0,
  creator_forward: 0,
  coin_quote: 0,
  deep_coin: 0,
  coin_circle: 0,
  unknown_coin: 0,
  late_coin: 0,
  quote_decimals: 0,
  quote_contradiction: 0,
  route_in: 0,
  route_out: 0,
  broken_route: 0,
  repeated: 0,
  late: 0,
  gap: 0,
}

function weights(weightOf: (kind: Kind) => number): Kinds {
  const every: Record<Kind, number> = { ...NO_KINDS }
  for (const kind of KINDS) every[kind] = weightOf(kind)
  return every
}

export const ALL_KINDS = weights(() => 1)

/** Kinds by their names, as in MODEL_KINDS; throws at a name that there is not. */
export function kindsNamed(text: string): Kinds {
  if (text === 'all') return ALL_KINDS
  if (text === 'none') return NO_KINDS
  const names = text.split(',')
  const known = KINDS.flatMap((kind) => [kind, `-${kind}`])
  const wrong = names.find((name) => !known.includes(name))
  if (wrong !== undefined) throw new Error(`MODEL_KINDS: ${wrong} is none of ${KINDS.join(', ')}`)
  const without = names.every((name) => name.startsWith('-'))
  return weights((kind) => {
    if (names.includes(`-${kind}`)) return 0
    return without || names.includes(kind) ? 1 : 0
  })
}

/** What histories hold unless they are asked for something else. */
export const DEFAULT_KINDS = kindsNamed(process.env.MODEL_KINDS ?? 'all')

/** How many events of each kind there were. */
export type KindCounts = Record<Kind, number>

export const noKindCounts = (): KindCounts => ({ ...NO_KINDS })

export function countKinds(counts: KindCounts, kinds: readonly Kind[]): void {
  for (const kind of kinds) counts[kind] += 1
}
