import Type from 'typebox'
import { Compile } from 'typebox/compile'
import {
  type ChainPosition,
  type PlacedEvent,
  RESERVES_REASONS,
  type Reserves,
  type TokenCreated,
} from '../../events/event.ts'
import { jsonPart, StateError, type StatePart } from '../memory/state-part.ts'

/** Place of an event in the total order (contract section 2). */
export interface EventPosition {
  slot: number
  txIndex: number
  ordinal: number
  /** False when the event has no slot of its own and took the newest one's. */
  isSlotKnown: boolean
  /** A number that grows with arrival. */
  arrival: number
  /** Hash of the signature, which events of the transaction without an index share; 0 and 0 where the place is another event's. */
  signatureHigh: number
  signatureLow: number
}

/** Before all events; without a signature, so that no other event takes its index for its own. */
export const NOWHERE: Readonly<EventPosition> = {
  slot: -1,
  txIndex: 0,
  ordinal: 0,
  isSlotKnown: false,
  signatureHigh: 0,
  signatureLow: 0,
  arrival: 0,
}

/** A placed event that is no swap, as the reorder window stores it, to be folded again. */
export interface LifecycleEntry {
  readonly event: PlacedEvent
  readonly token: number
  readonly key: EventPosition
}

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
/** An i32. */
const Hash = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })
const CountOrNull = Type.Union([Count, Type.Null()])
const Raw = Type.String({ pattern: '^[0-9]{1,20}$' })
const Place = {
  slot: CountOrNull,
  txIndex: CountOrNull,
  ordinal: Count,
  signature: Type.String(),
  timestamp: Count,
}
const Curve = { mint: Type.String(), bondingCurve: Type.String() }
const CreatedValue = Type.Object({
  type: Type.Literal('token_created'),
  ...Place,
  ...Curve,
  name: Type.String(),
  symbol: Type.String(),
  uri: Type.String(),
  creator: Type.String(),
  tokenProgram: Type.String(),
  isMayhemMode: Type.Boolean(),
  supplyRaw: Type.Optional(Raw),
  decimals: Type.Optional(Count),
  virtualBaseRaw: Raw,
  virtualQuoteRaw: Raw,
  realBaseRaw: Raw,
  quoteMint: Type.Optional(Type.String()),
  quoteDecimals: Type.Optional(Count),
})
const CompletedValue = Type.Object({ type: Type.Literal('completed'), ...Place, ...Curve })
const MigratedValue = Type.Object({
  type: Type.Literal('migrated'),
  ...Place,
  ...Curve,
  poolAmm: Type.String(),
})
const ReservesValue = Type.Object({
  type: Type.Literal('reserves'),
  ...Place,
  mint: Type.String(),
  source: Type.Union([Type.Literal('pump'), Type.Literal('pump_amm')]),
  virtualBaseRaw: Raw,
  virtualQuoteRaw: Raw,
  realBaseRaw: Raw,
  realQuoteRaw: Raw,
  supplyRaw: Type.Optional(Raw),
  reason: Type.Union(RESERVES_REASONS.map((reason) => Type.Literal(reason))),
})
const BalanceValue = Type.Object({
  type: Type.Literal('balance'),
  ...Place,
  mint: Type.String(),
  wallet: Type.String(),
  balanceRaw: Raw,
})
const EntryForm = Type.Object({
  /** Position in the ring. */
  at: Count,
  token: Count,
  /** The slot before the first event is -1. */
  slot: Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER }),
  txIndex: Count,
  ordinal: Count,
  isSlotKnown: Type.Boolean(),
  signatureHigh: Hash,
  signatureLow: Hash,
  arrival: Count,
  event: Type.Union([CreatedValue, CompletedValue, MigratedValue, ReservesValue, BalanceValue]),
})
const entriesForm = Compile(Type.Array(EntryForm))

/**
 * The lifecycle events of the reorder window, each with its position there, as JSON values with a fixed
 * order of keys, so that the same events give the same bytes whichever feed made them. Raw amounts are
 * decimal texts.
 */
export function entriesPart(
  entries: () => Iterable<readonly [number, LifecycleEntry]>,
  load: (entries: readonly (readonly [number, LifecycleEntry])[]) => void,
): StatePart {
  return jsonPart(
    'lifecycle events',
    () => Array.from(entries(), ([at, entry]) => entryValue(at, entry)),
    (value) => {
      if (!entriesForm.Check(value))
        throw new StateError(
          'the lifecycle events of the state are not of the form they are saved in',
        )
      load(value.map(({ at, token, event, ...key }) => [at, { event: eventOf(event), token, key }]))
    },
  )
}

/** More than the numbers, marks and keys of an entry's JSON have. */
const BESIDE_TEXTS = 640

/** Size of an entry in memory and in a snapshot: the characters of its texts, and what is beside them. */
export function charactersOf({ event }: LifecycleEntry): number {
  const { signature, mint } = event
  const named = BESIDE_TEXTS + signature.length + mint.length
  if (event.type === 'reserves') return named
  if (event.type === 'balance') return named + event.wallet.length
  const shared = named + event.bondingCurve.length
  if (event.type === 'completed') return shared
  if (event.type === 'migrated') return shared + event.poolAmm.length
  const { name, symbol, uri, creator, tokenProgram, quoteMint } = event
  const texts = [name, symbol, uri, creator, tokenProgram, quoteMint ?? '']
  return texts.reduce((sum, { length }) => sum + length, shared)
}

function entryValue(at: number, entry: LifecycleEntry): unknown {
  const { slot, txIndex, ordinal, isSlotKnown, signatureHigh, signatureLow, arrival } = entry.key
  const key = { slot, txIndex, ordinal, isSlotKnown, signatureHigh, signatureLow, arrival }
  return { at, token: entry.token, ...key, event: eventValue(entry) }
}

function eventOf(value: Type.Static<typeof EntryForm>['event']): PlacedEvent {
  if (value.type === 'token_created') return createdOf(value)
  if (value.type === 'reserves') return reservesOf(value)
  if (value.type === 'balance') return { ...value, balanceRaw: BigInt(value.balanceRaw) }
  return value
}

function eventValue({ event }: LifecycleEntry): unknown {
  const { type, mint } = event
  const placed = { type, ...placeOf(event), mint }
  if (event.type === 'reserves') return { ...placed, ...reservesValue(event) }
  if (event.type === 'balance')
    return { ...placed, wallet: event.wallet, balanceRaw: event.balanceRaw.toString() }
  const value = { ...placed, bondingCurve: event.bondingCurve }
  if (event.type === 'token_created') return { ...value, ...createdValue(event) }
  return event.type === 'migrated' ? { ...value, poolAmm: event.poolAmm } : value
}

function placeOf({ slot, txIndex, ordinal, signature, timestamp }: ChainPosition): ChainPosition {
  return { slot, txIndex, ordinal, signature, timestamp }
}

/** JSON leaves out what is undefined. */
function createdValue(event: TokenCreated): object {
  return {
    name: event.name,
    symbol: event.symbol,
    uri: event.uri,
    creator: event.creator,
    tokenProgram: event.tokenProgram,
    isMayhemMode: event.isMayhemMode,
    supplyRaw: event.supplyRaw?.toString(),
    decimals: event.decimals,
    virtualBaseRaw: event.virtualBaseRaw.toString(),
    virtualQuoteRaw: event.virtualQuoteRaw.toString(),
    realBaseRaw: event.realBaseRaw.toString(),
    quoteMint: event.quoteMint,
    quoteDecimals: event.quoteDecimals,
  }
}

function reservesValue(event: Reserves): object {
  return {
    source: event.source,
    virtualBaseRaw: event.virtualBaseRaw.toString(),
    virtualQuoteRaw: event.virtualQuoteRaw.toString(),
    realBaseRaw: event.realBaseRaw.toString(),
    realQuoteRaw: event.realQuoteRaw.toString(),
    supplyRaw: event.supplyRaw?.toString(),
    reason: event.reason,
  }
}

function reservesOf(value: Type.Static<typeof ReservesValue>): Reserves {
  const { supplyRaw, ...rest } = value
  const reserves = {
    ...rest,
    virtualBaseRaw: BigInt(value.virtualBaseRaw),
    virtualQuoteRaw: BigInt(value.virtualQuoteRaw),
    realBaseRaw: BigInt(value.realBaseRaw),
    realQuoteRaw: BigInt(value.realQuoteRaw),
  }
  return supplyRaw === undefined ? reserves : { ...reserves, supplyRaw: BigInt(supplyRaw) }
}

function createdOf(value: Type.Static<typeof CreatedValue>): TokenCreated {
  const { supplyRaw, ...rest } = value
  const created = {
    ...rest,
    virtualBaseRaw: BigInt(value.virtualBaseRaw),
    virtualQuoteRaw: BigInt(value.virtualQuoteRaw),
    realBaseRaw: BigInt(value.realBaseRaw),
  }
  return supplyRaw === undefined ? created : { ...created, supplyRaw: BigInt(supplyRaw) }
}
