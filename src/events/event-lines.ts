import type Type from 'typebox'
import { Compile } from 'typebox/compile'
import { isRecord, jsonOf } from '../base/json-access.ts'
import { stripControlChars } from '../base/safe-text.ts'
import {
  type ChainPosition,
  type FeedEvent,
  METADATA_KEYS,
  type Metadata,
  type MetadataKey,
  type Swap,
  type TokenCreated,
  type TokenState,
} from './event.ts'
import { lineSchemas } from './line-schemas.ts'
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

export type Mutable<T> = { -readonly [K in keyof T]: T[K] }
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
    token_state: reader(schemas.token_state, tokenState),
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
  if (event.type === 'token_state') {
    const { name, symbol, uri } = event
    return {
      ...event,
      ...(name !== undefined && { name: name.toWellFormed() }),
      ...(symbol !== undefined && { symbol: symbol.toWellFormed() }),
      ...(uri !== undefined && { uri: uri.toWellFormed() }),
    }
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

function tokenState(line: LineOf<'token_state'>): FeedEvent {
  const event: Mutable<TokenState> = {
    type: 'token_state',
    ...positionOf(line),
    mint: line.mint,
    tokenProgram: line.token_program,
    decimals: line.decimals + 0,
    supplyRaw: BigInt(line.supply_raw),
  }
  if (line.name != null) event.name = line.name
  if (line.symbol != null) event.symbol = line.symbol
  if (line.uri != null) event.uri = line.uri
  if (line.creator != null) event.creator = line.creator
  if (line.bonding_curve != null) event.bondingCurve = line.bonding_curve
  if (line.has_largest_holders != null) event.hasLargestHolders = line.has_largest_holders
  return event
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

/** A line whose values were checked. */
type LineOf<K extends FeedEvent['type']> = Type.Static<ReturnType<typeof lineSchemas>[K]>
