import { snakeCase } from '../../base/safe-text.ts'
import { asU64, readU64, writeU64 } from '../../base/u64.ts'
import type { EventFields, FeedEvent } from '../../events/event.ts'
import { GrowingLanes, Kind, type SegmentScan } from './journal-format.ts'

/**
 * An event that is no swap, as the journal has it from version 4 on:
 *
 *     type (u32), fields that are given (u32, a bit each), those of them that are null (u32),
 *     bytes of a unit of the texts (u32: 1 they are ASCII, 2 UTF-16)
 *     a lane of 8 bytes for each field that is given and not null: a number (f64), an amount (u64), 0 or 1
 *     for a flag (f64), the units of a text (f64)
 *     the texts, one behind the other
 *
 * Types and fields are numbered by their places in `TYPES`, which is part of the format: new ones come last.
 */
const HEADER_LANES = 2
const LANE_BYTES = 8
/** u32 lanes of the header. */
const TYPE = 0
const GIVEN = 1
const NULLS = 2
const UNIT_BYTES = 3
const ASCII = 1
const UTF_16 = 2

type ValueType = 'number' | 'bigint' | 'boolean' | 'string'

interface Field {
  /** As events have it, and as event lines do. */
  readonly name: string
  readonly lineName: string
  readonly valueType: ValueType
  /** Which bit says that it is given, and which that it is null. */
  readonly bit: number
}

const PLACE = { slot: 'number', txIndex: 'number', ordinal: 'number', signature: 'string' } as const
const TIMESTAMP = { timestamp: 'number' } as const
const MINT = { mint: 'string' } as const
const CURVE = { bondingCurve: 'string' } as const

const TYPES = [
  type('token_created', {
    ...PLACE,
    ...TIMESTAMP,
    ...MINT,
    ...{ name: 'string', symbol: 'string', uri: 'string', creator: 'string' },
    ...CURVE,
    ...{ tokenProgram: 'string', isMayhemMode: 'boolean', supplyRaw: 'bigint', decimals: 'number' },
    ...{ virtualBaseRaw: 'bigint', virtualQuoteRaw: 'bigint', realBaseRaw: 'bigint' },
    ...{ quoteMint: 'string', quoteDecimals: 'number' },
  }),
  type('completed', { ...PLACE, ...TIMESTAMP, ...MINT, ...CURVE }),
  type('migrated', { ...PLACE, ...TIMESTAMP, ...MINT, ...CURVE, poolAmm: 'string' }),
  type('sol_price', { ...TIMESTAMP, usd: 'number' }),
  type('metadata', {
    ...TIMESTAMP,
    ...MINT,
    ...{ image: 'string', video: 'string', twitter: 'string', website: 'string' },
    ...{ discord: 'string', telegram: 'string', description: 'string', dexPaid: 'boolean' },
  }),
  type('reserves', {
    ...PLACE,
    ...TIMESTAMP,
    ...MINT,
    ...{ source: 'string', virtualBaseRaw: 'bigint', virtualQuoteRaw: 'bigint' },
    ...{ realBaseRaw: 'bigint', realQuoteRaw: 'bigint', supplyRaw: 'bigint', reason: 'string' },
  }),
  type('balance', { ...PLACE, ...TIMESTAMP, ...MINT, wallet: 'string', balanceRaw: 'bigint' }),
  type('gap', { fromSlot: 'number', toSlot: 'number', state: 'string', ...TIMESTAMP }),
  type('token_state', {
    ...PLACE,
    ...TIMESTAMP,
    ...MINT,
    ...{ tokenProgram: 'string', decimals: 'number', supplyRaw: 'bigint' },
    ...{ name: 'string', symbol: 'string', uri: 'string', creator: 'string' },
    ...CURVE,
    hasLargestHolders: 'boolean',
  }),
]

/** Every field of an event of the type, in the order of the format. */
function type<T extends Exclude<FeedEvent['type'], 'swap'>>(
  name: T,
  fields: Readonly<
    Record<Exclude<keyof Extract<FeedEvent, { readonly type: T }>, 'type'>, ValueType>
  >,
): { readonly name: string; readonly fields: readonly Field[] } {
  const entries: [string, ValueType][] = Object.entries(fields)
  return {
    name,
    fields: entries.map(([field, valueType], i) => ({
      name: field,
      lineName: snakeCase(field),
      valueType,
      bit: 1 << i,
    })),
  }
}

const TYPE_OF = new Map(TYPES.map(({ name, fields }, i) => [name, { number: i + 1, fields }]))

const GAP = TYPE_OF.get('gap')?.number

/** Is it a frame of a `gap`, in the packed form? */
export function isPackedGap({ kind, u32, payloadAt }: SegmentScan): boolean {
  return kind === Kind.packed && u32[(payloadAt >>> 2) + TYPE] === GAP
}

const FIRST_BYTES = 1 << 12
/** Bytes that one unit of a text takes at most: those that are no ASCII are written again as UTF-16. */
const UNIT_BYTES_MAX = 3
const ENCODER = new TextEncoder()

/** Packs events, one at a time. */
export class EventPacker {
  readonly #lanes = new GrowingLanes(FIRST_BYTES)

  /**
   * The event packed, valid until the next one; null when one of its values is none that the form has room
   * for: an amount of more than 64 bits, another type.
   */
  pack(event: FeedEvent): Uint8Array | null {
    const known = TYPE_OF.get(event.type)
    if (known === undefined) return null
    const values: EventFields<FeedEvent> = event
    return this.#pack(known.number, known.fields, values)
  }

  #pack(
    number: number,
    fields: readonly Field[],
    values: Readonly<Record<string, unknown>>,
  ): Uint8Array | null {
    const { u32, f64 } = this.#lanes
    let given = 0
    let nulls = 0
    let lane = HEADER_LANES
    let texts = ''
    for (const { name, valueType, bit } of fields) {
      const value = values[name]
      if (value === undefined) continue
      given |= bit
      // `typeof` compared with a name that stands here is an instruction; with a variable it is a call.
      if (value === null) nulls |= bit
      else if (typeof value === 'string' && valueType === 'string') {
        f64[lane++] = value.length
        texts += value
      } else if (typeof value === 'number' && valueType === 'number') f64[lane++] = value
      else if (typeof value === 'boolean' && valueType === 'boolean') f64[lane++] = Number(value)
      else if (typeof value === 'bigint' && valueType === 'bigint' && value === asU64(value))
        writeU64(u32, 2 * lane++, value)
      else return null
    }
    u32[TYPE] = number
    u32[GIVEN] = given
    u32[NULLS] = nulls
    const unitBytes = this.#addTexts(texts, lane * LANE_BYTES)
    this.#lanes.u32[UNIT_BYTES] = unitBytes
    return this.#lanes.bytes.subarray(0, lane * LANE_BYTES + texts.length * unitBytes)
  }

  /** Writes the texts from a byte on; returns the bytes of a unit. */
  #addTexts(texts: string, at: number): number {
    this.#lanes.makeRoom(at + texts.length * UNIT_BYTES_MAX)
    const { bytes } = this.#lanes
    const { written } = ENCODER.encodeInto(texts, bytes.subarray(at))
    if (written === texts.length) return ASCII
    // Keeps halves of characters too, which have no UTF-8.
    Buffer.from(bytes.buffer).write(texts, at, 'utf16le')
    return UTF_16
  }
}

/**
 * The event in a frame as the fields of its event line (contract section 7); null when it makes no sense. It lies from
 * byte `payloadAt` of the lanes on.
 */
export function unpackedLine({
  payload,
  payloadAt,
  u32,
  f64,
}: Pick<SegmentScan, 'payload' | 'payloadAt' | 'u32' | 'f64'>): Readonly<
  Record<string, unknown>
> | null {
  if (payload.length < HEADER_LANES * LANE_BYTES) return null
  const [number = 0, given = 0, nulls = 0, unitBytes = 0] = u32.subarray(payloadAt >>> 2)
  const known = TYPES[number - 1]
  if (known === undefined) return null
  const line: Record<string, unknown> = { type: known.name }
  const unitsOfTexts = new Map<string, number>()
  let lane = HEADER_LANES
  for (const { lineName, valueType, bit } of known.fields) {
    if ((given & bit) === 0) continue
    // Texts follow later, but the line has its keys in this order.
    line[lineName] = null
    if ((nulls & bit) !== 0) continue
    if ((lane + 1) * LANE_BYTES > payload.length) return null
    const at = (payloadAt >>> 3) + lane++
    const value = f64[at] ?? 0
    if (valueType === 'bigint') line[lineName] = String(readU64(u32, at * 2))
    else if (valueType === 'boolean') line[lineName] = value === 1
    else if (valueType === 'number') line[lineName] = value
    else unitsOfTexts.set(lineName, value)
  }
  const texts = textOf(payload.subarray(lane * LANE_BYTES), unitBytes)
  let from = 0
  for (const [lineName, units] of unitsOfTexts) {
    line[lineName] = texts?.slice(from, from + units)
    from += units
  }
  return from === texts?.length ? line : null
}

/** Null when it has no such units. */
function textOf(bytes: Uint8Array, unitBytes: number): string | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (unitBytes === ASCII) return buffer.toString('latin1')
  return unitBytes === UTF_16 && bytes.length % UTF_16 === 0 ? buffer.toString('utf16le') : null
}
