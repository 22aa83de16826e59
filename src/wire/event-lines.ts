import Type from 'typebox'
import { Compile } from 'typebox/compile'
import {
  type ChainPosition,
  type FeedEvent,
  METADATA_KEYS,
  type Metadata,
  type Swap,
  type TokenCreated,
} from '../engine/event.ts'

/**
 * The event lines any program can feed the service (contract section 7): snake_case JSON to the
 * engine's events. Optional keys may also be null, which is the same as absent except for the
 * texts of `metadata`, where it clears.
 */

export interface LineError {
  /** One sentence: the key, what came, what is allowed. */
  readonly error: string
}

const U32_MAX = 0xffffffff
const U64_MAX_TEXT = '18446744073709551615'
const SHOWN_CHARACTERS_MAX = 48

const textOf = (max: number) =>
  Type.String({
    pattern: `^[^\\p{Cc}\\p{Cs}]{1,${max}}$`,
    description: `text of 1 to ${max} characters without control characters`,
  })
const integerTo = (maximum: number, name: string) =>
  Type.Integer({ minimum: 0, maximum, description: `an integer from 0 to ${name}` })
const nullable = <T extends Type.TSchema>(type: T, description: string) =>
  Type.Optional(Type.Union([type, Type.Null()], { description: `${description}, null or absent` }))

const RAW_ALLOWED = 'a decimal string of an integer from 0 to 2^64-1'
const RawText = Type.Refine(
  Type.String({ pattern: '^[0-9]{1,20}$' }),
  // Texts of the same length compare like their numbers.
  (digits) => digits.length < U64_MAX_TEXT.length || digits <= U64_MAX_TEXT,
)
const RawInteger = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Raw = Type.Union([RawText, RawInteger], { description: RAW_ALLOWED })
const OptionalRaw = nullable(Type.Union([RawText, RawInteger]), RAW_ALLOWED)
const Address = textOf(64)
const OptionalAddress = nullable(Address, 'text of 1 to 64 characters without control characters')
const Text = Type.String({ description: 'a string' })
const Flag = Type.Boolean({ description: 'true or false' })
const OptionalFlag = nullable(Type.Boolean(), 'true, false')
const Timestamp = integerTo(U32_MAX, '2^32-1 (unix seconds)')
const Usd = Type.Number({ exclusiveMinimum: 0, description: 'a finite number above 0' })

const Position = {
  slot: nullable(integerTo(Number.MAX_SAFE_INTEGER, ''), 'an integer from 0 to 2^53-1'),
  tx_index: nullable(integerTo(U32_MAX, ''), 'an integer from 0 to 2^32-1'),
  ordinal: nullable(integerTo(U32_MAX, ''), 'an integer from 0 to 2^32-1'),
  signature: textOf(128),
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
  decimals: nullable(integerTo(18, '18'), 'an integer from 0 to 18'),
  virtual_base_raw: Raw,
  virtual_quote_raw: Raw,
  real_base_raw: Raw,
  quote_mint: OptionalAddress,
})

const SwapLine = Type.Object({
  ...Position,
  source: Type.Union([Type.Literal('pump'), Type.Literal('pump_amm')], {
    description: '"pump" or "pump_amm"',
  }),
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
  chain_fee_raw: OptionalRaw,
  base_balance_before_raw: OptionalRaw,
  base_balance_after_raw: OptionalRaw,
  supply_raw: OptionalRaw,
  sol_price_usd: nullable(Usd, 'a finite number above 0'),
  quote_mint: OptionalAddress,
  fresh: OptionalFlag,
  pro: OptionalFlag,
  insider: OptionalFlag,
})

const Curve = { mint: Address, bonding_curve: Address }
const CompletedLine = Type.Object({ ...Position, ...Curve })
const MigratedLine = Type.Object({ ...Position, ...Curve, pool_amm: Address })
const SolPriceLine = Type.Object({ timestamp: Timestamp, usd: Usd })
const OptionalText = nullable(Type.String(), 'a string')
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
  dex_paid: OptionalFlag,
})

type PositionLine = Pick<Type.Static<typeof CompletedLine>, keyof typeof Position>
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** A line's schema together with what makes the event of it. */
function lineOf<T extends Type.TObject>(
  schema: T,
  toEvent: (line: Type.Static<T>) => FeedEvent,
): (value: unknown) => FeedEvent | LineError {
  const validator = Compile(schema)
  return (value) =>
    validator.Check(value)
      ? toEvent(value)
      : { error: firstError(schema, validator.Errors(value), value) }
}

const LINES: Readonly<Record<FeedEvent['type'], (value: unknown) => FeedEvent | LineError>> = {
  token_created: lineOf(TokenCreatedLine, tokenCreated),
  swap: lineOf(SwapLine, swap),
  completed: lineOf(CompletedLine, (line) => ({
    type: 'completed',
    ...positionOf(line),
    mint: line.mint,
    bondingCurve: line.bonding_curve,
  })),
  migrated: lineOf(MigratedLine, (line) => ({
    type: 'migrated',
    ...positionOf(line),
    mint: line.mint,
    bondingCurve: line.bonding_curve,
    poolAmm: line.pool_amm,
  })),
  sol_price: lineOf(SolPriceLine, (line) => ({
    type: 'sol_price',
    timestamp: line.timestamp,
    usd: line.usd,
  })),
  metadata: lineOf(MetadataLine, metadata),
}
const parsers = new Map<unknown, (value: unknown) => FeedEvent | LineError>(Object.entries(LINES))

/** The event of one line; never throws. */
export function parseEventLine(text: string): FeedEvent | LineError {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { error: `the line is ${shown(text)} but must be one JSON object` }
  }
  return parseEventValue(value)
}

/** As `parseEventLine`, of a line that is parsed already. */
export function parseEventValue(value: unknown): FeedEvent | LineError {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { error: `the line is ${shown(value)} but must be one JSON object` }
  }
  const type: unknown = Object.hasOwn(value, 'type') && 'type' in value ? value.type : undefined
  const parse = parsers.get(type)
  if (parse !== undefined) return parse(value)
  const allowed = Object.keys(LINES).join(', ')
  return { error: sentence('type', type, `one of ${allowed}`) }
}

function positionOf(line: PositionLine): ChainPosition {
  return {
    // + 0: JSON can write -0, which is another value to Map and Object.is.
    slot: line.slot == null ? null : line.slot + 0,
    txIndex: line.tx_index == null ? null : line.tx_index + 0,
    ordinal: (line.ordinal ?? 0) + 0,
    signature: line.signature,
    timestamp: line.timestamp + 0,
  }
}

function tokenCreated(line: Type.Static<typeof TokenCreatedLine>): FeedEvent {
  const event: Mutable<TokenCreated> = {
    type: 'token_created',
    ...positionOf(line),
    mint: line.mint,
    name: line.name,
    symbol: line.symbol,
    uri: line.uri,
    creator: line.creator,
    bondingCurve: line.bonding_curve,
    tokenProgram: line.token_program,
    isMayhemMode: line.is_mayhem_mode,
    virtualBaseRaw: BigInt(line.virtual_base_raw),
    virtualQuoteRaw: BigInt(line.virtual_quote_raw),
    realBaseRaw: BigInt(line.real_base_raw),
  }
  if (line.supply_raw != null) event.supplyRaw = BigInt(line.supply_raw)
  if (line.decimals != null) event.decimals = line.decimals + 0
  if (line.quote_mint != null) event.quoteMint = line.quote_mint
  return event
}

function swap(line: Type.Static<typeof SwapLine>): FeedEvent {
  const event: Mutable<Swap> = {
    type: 'swap',
    ...positionOf(line),
    source: line.source,
    mint: line.mint,
    pool: line.pool,
    signer: line.signer,
    direction: line.direction,
    baseRaw: BigInt(line.base_raw),
    quoteRaw: BigInt(line.quote_raw),
    virtualBaseRaw: BigInt(line.virtual_base_raw),
    virtualQuoteRaw: BigInt(line.virtual_quote_raw),
    realBaseRaw: BigInt(line.real_base_raw),
    realQuoteRaw: BigInt(line.real_quote_raw),
    platformFeeRaw: BigInt(line.platform_fee_raw),
    creatorFeeRaw: BigInt(line.creator_fee_raw),
  }
  addOptional(event, line)
  return event
}

function addOptional(event: Mutable<Swap>, line: Type.Static<typeof SwapLine>): void {
  if (line.chain_fee_raw != null) event.chainFeeRaw = BigInt(line.chain_fee_raw)
  const { base_balance_before_raw: before, base_balance_after_raw: after } = line
  if (before != null) event.baseBalanceBeforeRaw = BigInt(before)
  if (after != null) event.baseBalanceAfterRaw = BigInt(after)
  if (line.supply_raw != null) event.supplyRaw = BigInt(line.supply_raw)
  if (line.sol_price_usd != null) event.solPriceUsd = line.sol_price_usd
  if (line.quote_mint != null) event.quoteMint = line.quote_mint
  if (line.fresh != null) event.fresh = line.fresh
  if (line.pro != null) event.pro = line.pro
  if (line.insider != null) event.insider = line.insider
}

function metadata(line: Type.Static<typeof MetadataLine>): FeedEvent {
  const { timestamp, mint } = line
  const event: Mutable<Metadata> = { type: 'metadata', timestamp: timestamp + 0, mint }
  for (const key of METADATA_KEYS) {
    const text = line[key]
    if (text !== undefined) event[key] = text
  }
  if (line.dex_paid != null) event.dexPaid = line.dex_paid
  return event
}

/** The first key, in the order of the contract, that is missing or wrong. */
function firstError(
  schema: Type.TObject,
  errors: readonly { instancePath: string; params: object }[],
  value: unknown,
): string {
  const wrong = new Set(errors.map((error) => error.instancePath.split('/')[1]))
  for (const [key, property] of Object.entries(schema.properties)) {
    const has = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    const isMissing = !has && schema.required.includes(key)
    if (!isMissing && !wrong.has(key)) continue
    const came = has ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined
    const allowed = 'description' in property ? String(property.description) : 'another value'
    return sentence(key, came, allowed)
  }
  return `the line is ${shown(value)} but must have the keys of its type`
}

function sentence(key: string, came: unknown, allowed: string): string {
  return came === undefined
    ? `"${key}" is missing but must be ${allowed}`
    : `"${key}" is ${shown(came)} but must be ${allowed}`
}

/** A short form of a value from outside that is safe on a terminal. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value !== 'string') return String(value)
  const cut = Array.from(value.slice(0, 2 * SHOWN_CHARACTERS_MAX)).slice(0, SHOWN_CHARACTERS_MAX)
  const safe = cut.join('').replace(/[\p{Cc}\p{Cs}]/gu, '\u{fffd}')
  return `"${safe}${cut.join('').length < value.length ? '…' : ''}"`
}
