import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { isRecord, jsonOf } from '../base/json-access.ts'
import { stripControlChars } from '../base/safe-text.ts'
import { SOL_PRICE_USD } from '../base/thresholds.ts'
import {
  type ChainPosition,
  type FeedEvent,
  GAP_STATES,
  METADATA_KEYS,
  type Metadata,
  type MetadataKey,
  RESERVES_REASONS,
  ROUTE_HOPS_MAX,
  type Swap,
  type TokenCreated,
} from './event.ts'
import { codePoints } from './text.ts'

/**
 * The event lines any program can feed the service (contract section 7): snake_case JSON to the
 * engine's events. Optional keys may also be null, which is the same as absent except for the
 * keys of `metadata`, where it clears. A fee of 0 without a flag in the record (`lp_fee_raw`,
 * `cashback_raw`) is the same as absent too, so that an event has one form whatever its source. Lone
 * surrogates of a feed become U+FFFD: no UTF-8 can write them.
 */

export interface LineError {
  /** One sentence: the key, what came, what is allowed. */
  readonly error: string
}

const SHOWN_CHARACTERS_MAX = 48

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type Read = (value: unknown) => FeedEvent | LineError

/** Checks a line against its schema and makes the event of it. */
function reader<T extends Type.TObject>(
  schema: T,
  toEvent: (line: Type.Static<T>) => FeedEvent,
): Read {
  const validator = Compile(schema)
  return (value) =>
    validator.Check(value)
      ? toEvent(value)
      : { error: firstError(schema, validator.Errors(value), value) }
}

function newReaders(source: 'feed' | 'journal'): ReadonlyMap<unknown, Read> {
  const schemas = lineSchemas(source)
  const readers: Readonly<Record<FeedEvent['type'], Read>> = {
    token_created: reader(schemas.token_created, tokenCreated),
    swap: reader(schemas.swap, swap),
    completed: reader(schemas.completed, (line) => ({
      type: 'completed',
      ...positionOf(line),
      mint: line.mint,
      bondingCurve: line.bonding_curve,
    })),
    migrated: reader(schemas.migrated, (line) => ({
      type: 'migrated',
      ...positionOf(line),
      mint: line.mint,
      bondingCurve: line.bonding_curve,
      poolAmm: line.pool_amm,
    })),
    reserves: reader(schemas.reserves, reserves),
    balance: reader(schemas.balance, (line) => ({
      type: 'balance',
      ...positionOf(line),
      mint: line.mint,
      wallet: line.wallet,
      balanceRaw: BigInt(line.balance_raw),
    })),
    sol_price: reader(schemas.sol_price, (line) => ({
      type: 'sol_price',
      timestamp: line.timestamp,
      usd: line.usd,
    })),
    metadata: reader(schemas.metadata, metadata),
    gap: reader(schemas.gap, (line) => ({
      type: 'gap',
      fromSlot: line.from_slot,
      toSlot: line.to_slot,
      state: line.state,
      timestamp: line.timestamp,
    })),
  }
  return new Map(Object.entries(readers))
}

/** Made at the first use: compiling them takes milliseconds of a start. */
const made = new Map<string, ReadonlyMap<unknown, Read>>()

function readersOf(source: 'feed' | 'journal'): ReadonlyMap<unknown, Read> {
  const readers = made.get(source) ?? newReaders(source)
  made.set(source, readers)
  return readers
}

/** The event of one line; never throws. */
export function parseEventLine(text: string): FeedEvent | LineError {
  const value = jsonOf(text)
  return parseEventValue(value === undefined ? text : value)
}

/** The event of a parsed line (`eventLineText`) that was folded once; never throws. */
export function parseFoldedValue(value: unknown): FeedEvent | LineError {
  return parseValue(value, readersOf('journal'))
}

/** As `parseEventLine`, of a line that is parsed already. */
export function parseEventValue(value: unknown): FeedEvent | LineError {
  return wellFormed(parseValue(value, readersOf('feed')))
}

/** Lone surrogates are refused in addresses and signatures, and replaced in these texts. */
function wellFormed(event: FeedEvent | LineError): FeedEvent | LineError {
  if (!('type' in event)) return event
  if (event.type === 'token_created') {
    const { name, symbol, uri } = event
    const isWhole = name.isWellFormed() && symbol.isWellFormed() && uri.isWellFormed()
    if (isWhole) return event
    const texts = { name: name.toWellFormed(), symbol: symbol.toWellFormed() }
    return { ...event, ...texts, uri: uri.toWellFormed() }
  }
  if (event.type !== 'metadata') return event
  const texts: { [K in MetadataKey]?: string } = {}
  for (const key of METADATA_KEYS) {
    const text = event[key]
    if (text?.isWellFormed() === false) texts[key] = text.toWellFormed()
  }
  return { ...event, ...texts }
}

function parseValue(value: unknown, readers: ReadonlyMap<unknown, Read>): FeedEvent | LineError {
  if (!isRecord(value)) {
    return { error: `the line is ${shown(value)} but must be one JSON object` }
  }
  const type: unknown = Object.hasOwn(value, 'type') ? value.type : undefined
  const read = readers.get(type)
  if (read !== undefined) return read(value)
  const allowed = [...readers.keys()].join(', ')
  return { error: sentence('type', type, `one of ${allowed}`) }
}

function positionOf(line: Omit<LineOf<'completed'>, 'mint' | 'bonding_curve'>): ChainPosition {
  return {
    // + 0: JSON can write -0, which is another value to Map and Object.is.
    slot: line.slot == null ? null : line.slot + 0,
    txIndex: line.tx_index == null ? null : line.tx_index + 0,
    ordinal: (line.ordinal ?? 0) + 0,
    signature: line.signature,
    timestamp: line.timestamp + 0,
  }
}

function tokenCreated(line: LineOf<'token_created'>): FeedEvent {
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
  if (line.quote_decimals != null) event.quoteDecimals = line.quote_decimals + 0
  return event
}

function reserves(line: LineOf<'reserves'>): FeedEvent {
  return {
    type: 'reserves',
    ...positionOf(line),
    mint: line.mint,
    source: line.source,
    virtualBaseRaw: BigInt(line.virtual_base_raw),
    virtualQuoteRaw: BigInt(line.virtual_quote_raw),
    realBaseRaw: BigInt(line.real_base_raw),
    realQuoteRaw: BigInt(line.real_quote_raw),
    ...(line.supply_raw != null && { supplyRaw: BigInt(line.supply_raw) }),
    reason: line.reason,
  }
}

function swap(line: LineOf<'swap'>): FeedEvent {
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

function addOptional(event: Mutable<Swap>, line: LineOf<'swap'>): void {
  const lpFeeRaw = BigInt(line.lp_fee_raw ?? 0)
  if (lpFeeRaw !== 0n) event.lpFeeRaw = lpFeeRaw
  const cashbackRaw = BigInt(line.cashback_raw ?? 0)
  if (cashbackRaw !== 0n) event.cashbackRaw = cashbackRaw
  if (line.chain_fee_raw != null) event.chainFeeRaw = BigInt(line.chain_fee_raw)
  const { base_balance_before_raw: before, base_balance_after_raw: after } = line
  if (before != null) event.baseBalanceBeforeRaw = BigInt(before)
  if (after != null) event.baseBalanceAfterRaw = BigInt(after)
  if (line.supply_raw != null) event.supplyRaw = BigInt(line.supply_raw)
  if (line.sol_price_usd != null) event.solPriceUsd = line.sol_price_usd
  if (line.quote_mint != null) event.quoteMint = line.quote_mint
  if (line.quote_decimals != null) event.quoteDecimals = line.quote_decimals + 0
  if (line.route != null) event.route = line.route
  if (line.fresh != null) event.fresh = line.fresh
  if (line.pro != null) event.pro = line.pro
  if (line.insider != null) event.insider = line.insider
}

function metadata(line: LineOf<'metadata'>): FeedEvent {
  const { timestamp, mint } = line
  const event: Mutable<Metadata> = { type: 'metadata', timestamp: timestamp + 0, mint }
  for (const key of METADATA_KEYS) {
    const text = line[key]
    if (text !== undefined) event[key] = text
  }
  // Unknown is false: what is cleared is not paid.
  if (line.dex_paid !== undefined) event.dexPaid = line.dex_paid === true
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
    const has = isRecord(value) && Object.hasOwn(value, key)
    const isMissing = !has && schema.required.includes(key)
    if (!isMissing && !wrong.has(key)) continue
    const came = has ? value[key] : undefined
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
  // Lines may be long: no more is read than is shown.
  const cut = codePoints(value.slice(0, 2 * SHOWN_CHARACTERS_MAX), SHOWN_CHARACTERS_MAX)
  return `"${stripControlChars(cut, '\u{fffd}')}${cut.length < value.length ? '…' : ''}"`
}

const USD_ALLOWED = `a number from ${SOL_PRICE_USD.range} (USD per SOL)`
const U32_MAX = 0xffffffff
const U64_MAX_TEXT = '18446744073709551615'

const RAW_ALLOWED = 'a decimal string of an integer from 0 to 2^64-1'
const RawText: Type.TString = Type.Refine(
  Type.String({ pattern: '^[0-9]{1,20}$' }),
  // Texts of the same length compare like their numbers.
  (digits) => digits.length < U64_MAX_TEXT.length || digits <= U64_MAX_TEXT,
)

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
  const Address = textOf(64)
  const OptionalAddress = nullable(Address, 'text of 1 to 64 characters without control characters')
  const Text = Type.String({ description: 'a string' })
  const Flag = Type.Boolean({ description: 'true or false' })
  const Decimals = nullable(integerTo(18, '18'), 'an integer from 0 to 18')
  const OptionalFlag = nullable(Type.Boolean(), 'true, false')
  const Timestamp = integerTo(U32_MAX, '2^32-1 (unix seconds)')

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
    sol_price: SolPriceLine,
    metadata: MetadataLine,
    gap: GapLine,
  }
}

/** A line whose values were checked. */
type LineOf<K extends FeedEvent['type']> = Type.Static<ReturnType<typeof lineSchemas>[K]>
