import Type from 'typebox'
import { SOL_PRICE_USD } from '../base/thresholds.ts'
import { areOfU64 } from '../base/u64.ts'
import { GAP_STATES, RESERVES_REASONS, ROUTE_HOPS_MAX } from './event.ts'

const USD_ALLOWED = `a number from ${SOL_PRICE_USD.range} (USD per SOL)`
export const U32_MAX = 0xffffffff
export const ADDRESS_CHARACTERS_MAX = 64
export const SIGNATURE_CHARACTERS_MAX = 128

const RAW_ALLOWED = 'a decimal string of an integer from 0 to 2^64-1'
const RawText: Type.TString = Type.Refine(Type.String({ pattern: '^[0-9]{1,20}$' }), areOfU64)

const REASONS = RESERVES_REASONS.map((reason) => `"${reason}"`)
const REASONS_ALLOWED = `${REASONS.slice(0, -1).join(', ')} or ${REASONS.at(-1)}`

/** Values that a feed may send. */
const FROM_FEED = {
  textOf: (max: number) =>
    Type.String({
      pattern: `^[^\\p{Cc}\\p{Cs}]{1,${max}}$`,
      description: `text of 1 to ${max} characters without control characters`,
    }),
  integerTo: (maximum: number, name: string): Type.TInteger | Type.TNumber =>
    Type.Integer({ minimum: 0, maximum, description: `an integer from 0 to ${name}` }),
  rawText: RawText,
  usd: Type.Number({
    minimum: SOL_PRICE_USD.min,
    maximum: SOL_PRICE_USD.max,
    description: USD_ALLOWED,
  }),
}

/**
 * Values that were folded once, of any length and size: a value that a feed should have refused must not make
 * a journal that no start reads.
 */
const FROM_JOURNAL: typeof FROM_FEED = {
  textOf: () => Type.String(),
  integerTo: () => Type.Number(),
  rawText: Type.String({ pattern: '^-?[0-9]+$' }),
  usd: Type.Number(),
}

const nullable = <T extends Type.TSchema>(type: T, description: string) =>
  Type.Optional(Type.Union([type, Type.Null()], { description: `${description}, null or absent` }))

/** The keys of each line (contract section 7), with the values that they may have in a line of this source. */
export function lineSchemas(source: 'feed' | 'journal') {
  const { textOf, integerTo, rawText, usd } = source === 'feed' ? FROM_FEED : FROM_JOURNAL
  const RawInteger = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
  const Raw = Type.Union([rawText, RawInteger], { description: RAW_ALLOWED })
  const OptionalRaw = nullable(Type.Union([rawText, RawInteger]), RAW_ALLOWED)
  const Address = textOf(ADDRESS_CHARACTERS_MAX)
  const OptionalAddress = nullable(Address, 'text of 1 to 64 characters without control characters')
  const Text = Type.String({ description: 'a string' })
  const Flag = Type.Boolean({ description: 'true or false' })
  const KnownDecimals = integerTo(18, '18')
  const Decimals = nullable(KnownDecimals, 'an integer from 0 to 18')
  const OptionalFlag = nullable(Type.Boolean(), 'true, false')
  const Timestamp = integerTo(U32_MAX, '2^32-1 (unix seconds)')

  const Position = {
    slot: nullable(integerTo(Number.MAX_SAFE_INTEGER, ''), 'an integer from 0 to 2^53-1'),
    tx_index: nullable(integerTo(U32_MAX, ''), 'an integer from 0 to 2^32-1'),
    ordinal: nullable(integerTo(U32_MAX, ''), 'an integer from 0 to 2^32-1'),
    signature: textOf(SIGNATURE_CHARACTERS_MAX),
    timestamp: Timestamp,
  }

  const TokenCreatedLine = Type.Object({
    ...Position,
    mint: Address,
    name: Text,
    symbol: Text,
    uri: Text,
    creator: Address,
    bonding_curve: Address,
    token_program: Address,
    is_mayhem_mode: Flag,
    supply_raw: OptionalRaw,
    decimals: Decimals,
    virtual_base_raw: Raw,
    virtual_quote_raw: Raw,
    real_base_raw: Raw,
    quote_mint: OptionalAddress,
    quote_decimals: Decimals,
  })

  const Source = Type.Union([Type.Literal('pump'), Type.Literal('pump_amm')], {
    description: '"pump" or "pump_amm"',
  })

  const SwapLine = Type.Object({
    ...Position,
    source: Source,
    mint: Address,
    pool: Address,
    signer: Address,
    direction: Type.Union([Type.Literal('buy'), Type.Literal('sell')], {
      description: '"buy" or "sell"',
    }),
    base_raw: Raw,
    quote_raw: Raw,
    virtual_base_raw: Raw,
    virtual_quote_raw: Raw,
    real_base_raw: Raw,
    real_quote_raw: Raw,
    platform_fee_raw: Raw,
    creator_fee_raw: Raw,
    lp_fee_raw: OptionalRaw,
    cashback_raw: OptionalRaw,
    chain_fee_raw: OptionalRaw,
    base_balance_before_raw: OptionalRaw,
    base_balance_after_raw: OptionalRaw,
    supply_raw: OptionalRaw,
    sol_price_usd: nullable(usd, USD_ALLOWED),
    quote_mint: OptionalAddress,
    quote_decimals: Decimals,
    route: nullable(
      Type.Integer({ minimum: 1, maximum: ROUTE_HOPS_MAX }),
      `an integer from 1 to ${ROUTE_HOPS_MAX}`,
    ),
    ...{ fresh: OptionalFlag, pro: OptionalFlag, insider: OptionalFlag },
  })

  const Curve = { mint: Address, bonding_curve: Address }
  const CompletedLine = Type.Object({ ...Position, ...Curve })
  const MigratedLine = Type.Object({ ...Position, ...Curve, pool_amm: Address })
  const ReservesLine = Type.Object({
    ...Position,
    mint: Address,
    source: Source,
    ...{ virtual_base_raw: Raw, virtual_quote_raw: Raw, real_base_raw: Raw, real_quote_raw: Raw },
    supply_raw: OptionalRaw,
    reason: Type.Union(
      RESERVES_REASONS.map((reason) => Type.Literal(reason)),
      { description: REASONS_ALLOWED },
    ),
  })
  const Held = { mint: Address, wallet: Address, balance_raw: Raw }
  const BalanceLine = Type.Object({ ...Position, ...Held })
  const SlotNumber = integerTo(Number.MAX_SAFE_INTEGER, '2^53-1')
  const state = Type.Union(
    GAP_STATES.map((name) => Type.Literal(name)),
    { description: '"open", "filling", "filled" or "lost"' },
  )
  const Slots = { from_slot: SlotNumber, to_slot: SlotNumber }
  const GapLine = Type.Object({ ...Slots, state, timestamp: Timestamp })
  const SolPriceLine = Type.Object({ timestamp: Timestamp, usd })
  const OptionalText = nullable(Type.String(), 'a string')
  const TokenStateLine = Type.Object({
    ...Position,
    mint: Address,
    token_program: Address,
    decimals: KnownDecimals,
    supply_raw: Raw,
    ...{ name: OptionalText, symbol: OptionalText, uri: OptionalText },
    creator: OptionalAddress,
    bonding_curve: OptionalAddress,
    has_largest_holders: OptionalFlag,
  })
  const MetadataLine = Type.Object({
    timestamp: Timestamp,
    mint: Address,
    image: OptionalText,
    video: OptionalText,
    twitter: OptionalText,
    website: OptionalText,
    discord: OptionalText,
    telegram: OptionalText,
    description: OptionalText,
    dex_paid: nullable(Type.Union([Type.Boolean(), Type.Literal('')]), 'true, false, ""'),
  })

  return {
    token_created: TokenCreatedLine,
    swap: SwapLine,
    completed: CompletedLine,
    migrated: MigratedLine,
    reserves: ReservesLine,
    balance: BalanceLine,
    token_state: TokenStateLine,
    sol_price: SolPriceLine,
    metadata: MetadataLine,
    gap: GapLine,
  }
}
