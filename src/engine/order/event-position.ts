import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { type PlacedEvent, RESERVES_REASONS } from '../../events/event.ts'
import { copiedPart, StateError, type StatePart } from '../memory/state-part.ts'

/** Place of an event in the total order (contract section 2). */
export interface EventPosition {
  slot: number
  txIndex: number
  ordinal: number
  /** False when the event has no slot of its own and took the newest one's. */
  isSlotKnown: boolean
  /** A number that grows with arrival. */
  arrival: number
  /** Hash of the signature, which all events of a transaction share; 0 and 0 where the place is another event's. */
  signatureHigh: number
  signatureLow: number
}

/** Does a place come after another in the total order? */
export function isAfter(place: EventPosition, other: EventPosition): boolean {
  if (place.slot !== other.slot) return place.slot > other.slot
  if (place.txIndex !== other.txIndex) return place.txIndex > other.txIndex
  return place.ordinal > other.ordinal
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
const CreatedForm = Type.Object({
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
const CompletedForm = Type.Object({ type: Type.Literal('completed'), ...Place, ...Curve })
const MigratedForm = Type.Object({
  type: Type.Literal('migrated'),
  ...Place,
  ...Curve,
  poolAmm: Type.String(),
})
const ReservesForm = Type.Object({
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
const BalanceForm = Type.Object({
  type: Type.Literal('balance'),
  ...Place,
  mint: Type.String(),
  wallet: Type.String(),
  balanceRaw: Raw,
})
const TokenStateForm = Type.Object({
  type: Type.Literal('token_state'),
  ...Place,
  mint: Type.String(),
  tokenProgram: Type.String(),
  decimals: Count,
  supplyRaw: Raw,
  name: Type.Optional(Type.String()),
  symbol: Type.Optional(Type.String()),
  uri: Type.Optional(Type.String()),
  creator: Type.Optional(Type.String()),
  bondingCurve: Type.Optional(Type.String()),
  hasLargestHolders: Type.Optional(Type.Boolean()),
})
const FORMS = {
  token_created: CreatedForm,
  completed: CompletedForm,
  migrated: MigratedForm,
  reserves: ReservesForm,
  balance: BalanceForm,
  token_state: TokenStateForm,
} as const
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
  event: Type.Union([
    CreatedForm,
    CompletedForm,
    MigratedForm,
    ReservesForm,
    BalanceForm,
    TokenStateForm,
  ]),
})
const entriesForm = Compile(Type.Array(EntryForm))

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * The lifecycle events of the reorder window, each with its position there, as JSON values with a fixed
 * order of keys, so that the same events give the same bytes whichever feed made them. Raw amounts are
 * decimal texts.
 */
export function entriesPart(
  entries: () => Iterable<readonly [number, LifecycleEntry]>,
  load: (entries: readonly (readonly [number, LifecycleEntry])[]) => void,
): StatePart {
  return copiedPart(
    'lifecycle events',
    () =>
      encoder.encode(JSON.stringify(Array.from(entries(), ([at, entry]) => entryValue(at, entry)))),
    (bytes) => {
      const value: unknown = JSON.parse(decoder.decode(bytes))
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
  if (event.type === 'token_state') {
    const { name, symbol, uri, creator, bondingCurve, tokenProgram } = event
    const texts = [name, symbol, uri, creator, bondingCurve, tokenProgram]
    return texts.reduce((sum, text) => sum + (text?.length ?? 0), named)
  }
  const shared = named + event.bondingCurve.length
  if (event.type === 'completed') return shared
  if (event.type === 'migrated') return shared + event.poolAmm.length
  const { name, symbol, uri, creator, tokenProgram, quoteMint } = event
  const texts = [name, symbol, uri, creator, tokenProgram, quoteMint ?? '']
  return texts.reduce((sum, { length }) => sum + length, shared)
}

function entryValue(at: number, { event, token, key }: LifecycleEntry): unknown {
  const { slot, txIndex, ordinal, isSlotKnown, signatureHigh, signatureLow, arrival } = key
  const place = { slot, txIndex, ordinal, isSlotKnown, signatureHigh, signatureLow, arrival }
  return { at, token, ...place, event: eventValue(event) }
}

/** Its keys have the order of its form; JSON leaves out those that are undefined. */
function eventValue(event: PlacedEvent): unknown {
  const values: Readonly<Record<string, unknown>> = { ...event }
  const keys = Object.keys(FORMS[event.type].properties)
  return Object.fromEntries(
    keys.map((key) => {
      const value = values[key]
      return [key, typeof value === 'bigint' ? value.toString() : value]
    }),
  )
}

function eventOf(value: Type.Static<typeof EntryForm>['event']): PlacedEvent {
  if (value.type === 'completed' || value.type === 'migrated') return value
  if (value.type === 'balance') return { ...value, balanceRaw: BigInt(value.balanceRaw) }
  if (value.type === 'token_state') return { ...value, supplyRaw: BigInt(value.supplyRaw) }
  const { supplyRaw, ...given } = value
  const supply = supplyRaw === undefined ? {} : { supplyRaw: BigInt(supplyRaw) }
  const amounts = {
    virtualBaseRaw: BigInt(given.virtualBaseRaw),
    virtualQuoteRaw: BigInt(given.virtualQuoteRaw),
    realBaseRaw: BigInt(given.realBaseRaw),
  }
  if (given.type === 'token_created') return { ...given, ...amounts, ...supply }
  return { ...given, ...amounts, realQuoteRaw: BigInt(given.realQuoteRaw), ...supply }
}
