/**
 * feeds/chain/layouts: bytes of one event in, a `DecodedEvent` with named fields out. A layout names program, discriminator
 * and fields in the order of the bytes; layouts grow at their end, so an event may end early (older) or have a tail (newer).
 */

import { encodeBase58 } from '../../../base/base58.ts'
import { AMM_POOL_LAYOUTS } from './amm-pool-layouts.ts'
import {
  type AnyEventLayout,
  type EventLayout,
  eventLayout,
  type Fields,
  type FieldType,
  type FieldValue,
  type NamesOf,
  type Shareholder,
} from './event-layout.ts'
import { type ProgramName, ZERO_ADDRESS } from './programs.ts'
import { PUMP_COIN_LAYOUTS } from './pump-coin-layouts.ts'

/**
 * Events of accounts, fees, rewards and settings: they move no price and no balance that the engine folds. Each
 * is known by its discriminator, so that it counts among the ordinals of its transaction and is not reported as
 * new; its fields are not read.
 */

/** Names and discriminators, as the IDLs of @pump-fun/pump-sdk 2.0.0 (MIT) and the platform's documents of October 2026 have them. */
const PUMP_EVENTS = {
  AddQuoteControlMintEvent: 'a4af574a582d213e',
  AdminCtoEvent: '6e7ce262aaff1178',
  AdminSetIdlAuthorityEvent: 'f53b46224bb96d5c',
  AdminUpdateTokenIncentivesEvent: '93fa6c78f71d43de',
  ClaimCashbackEvent: 'e2d6f62107f293e5',
  ClaimTokenIncentivesEvent: '4facf631cd5bcee8',
  CloseUserVolumeAccumulatorEvent: '929fbdac925838f4',
  CollectCreatorFeeEvent: '7a027f010ebf0caf',
  DistributeCreatorFeesEvent: 'a537817004b3ca28',
  DistributeFeeToHoldersEvent: 'e3bed7ceb0b4a584',
  ExtendAccountEvent: '6161d7905d92167c',
  InitUserVolumeAccumulatorEvent: '86240d48e86582d8',
  MigrateBondingCurveCreatorEvent: '9ba768dcd56cf303',
  MinimumDistributableFeeEvent: 'a8d884efebb63134',
  RemoveQuoteControlMintEvent: '2e21568600d5d130',
  ReservedFeeRecipientsEvent: '2bbcfa12dd4bbb5f',
  SetCreatorEvent: 'ed347b25f5fb48d2',
  SetMetaplexCreatorEvent: '8ecb06207f69bfa2',
  SetParamsEvent: 'dfc39ff63e308f83',
  SetQuoteControlAdminEvent: '4af88d45ca511ef7',
  SetQuoteControlMintReservesEvent: 'a943276d6686b6e8',
  SetQuoteControlReservesAdminEvent: '43fbb3b6575ca921',
  SweepBondingCurveFeeEvent: '742b4dbd117a482b',
  SyncUserVolumeAccumulatorEvent: 'c57aa77c74515bff',
  UpdateCreatorFeeConfigEvent: '98c67c7c6af67fbf',
  UpdateGlobalAuthorityEvent: 'b6c3892a23cecff7',
}

const AMM_EVENTS = {
  AdminCtoPoolEvent: '2f23a3f9969d937a',
  AdminUpdateTokenIncentivesEvent: '93fa6c78f71d43de',
  ClaimCashbackEvent: 'e2d6f62107f293e5',
  ClaimTokenIncentivesEvent: '4facf631cd5bcee8',
  CloseUserVolumeAccumulatorEvent: '929fbdac925838f4',
  CollectCoinCreatorFeeEvent: 'e8f5c2eeeada3a59',
  CreateConfigEvent: '6b34598137e25116',
  DisableEvent: '6bfdc14ce4ca1b68',
  ExtendAccountEvent: '6161d7905d92167c',
  InitUserVolumeAccumulatorEvent: '86240d48e86582d8',
  MigratePoolCoinCreatorEvent: 'aadd52c793a5f72e',
  ReservedFeeRecipientsEvent: '2bbcfa12dd4bbb5f',
  SetBondingCurveCoinCreatorEvent: 'f2e7eb664163bdd3',
  SetBoostAuthorityEvent: '5980f08d5bca4769',
  SetMetaplexCoinCreatorEvent: '966bc77b7ccf66e4',
  SweepPoolFeeEvent: '82a42461e48287a5',
  SyncUserVolumeAccumulatorEvent: 'c57aa77c74515bff',
  UpdateAdminEvent: 'e198ab57f63f42ea',
  UpdateCreatorFeeConfigEvent: '98c67c7c6af67fbf',
  UpdateFeeConfigEvent: '5a1741233ef4bcd0',
}

const UNREAD_LAYOUTS = [
  ...Object.entries(PUMP_EVENTS).map(([name, hex]) => eventLayout('pump', name, hex, {})),
  ...Object.entries(AMM_EVENTS).map(([name, hex]) => eventLayout('pump_amm', name, hex, {})),
]

export const DISCRIMINATOR_BYTES = 8

/** Every event that is known, of both programs. */
export const EVENT_LAYOUTS: readonly AnyEventLayout[] = [
  ...PUMP_COIN_LAYOUTS,
  ...AMM_POOL_LAYOUTS,
  ...UNREAD_LAYOUTS,
]

const byKey = new Map(
  EVENT_LAYOUTS.map((layout) => [`${layout.program} ${layout.discriminator}`, layout]),
)
const PUBKEY_BYTES = 32
const SHAREHOLDER_BYTES = PUBKEY_BYTES + 2

/** One event as decoded; fields that its bytes do not reach have the zero of their type. */
export class DecodedEvent<F extends Fields = Fields> {
  readonly layout: EventLayout<F>
  readonly values: readonly FieldValue[]
  /** Fields read from the bytes; the ones after it are defaults. */
  readonly fieldsPresent: number
  /** Bytes after the last known field: the chain runs ahead of the public IDLs. 0 for an event whose fields are not read. */
  readonly unknownTailBytes: number

  constructor(
    layout: EventLayout<F>,
    values: readonly FieldValue[],
    fieldsPresent: number,
    unknownTailBytes: number,
  ) {
    this.layout = layout
    this.values = values
    this.fieldsPresent = fieldsPresent
    this.unknownTailBytes = unknownTailBytes
  }

  /** Whether the bytes reached the field. */
  has(name: keyof F & string): boolean {
    const index = this.layout.indexes.get(name)
    return index !== undefined && index < this.fieldsPresent
  }

  integer(name: NamesOf<F, 'u64' | 'i64' | 'i128'>): bigint {
    const value = this.#value(name)
    return typeof value === 'bigint' ? value : 0n
  }

  text(name: NamesOf<F, 'pubkey' | 'string'>): string {
    const value = this.#value(name)
    return typeof value === 'string' ? value : ''
  }

  small(name: NamesOf<F, 'u8' | 'u16'>): number {
    const value = this.#value(name)
    return typeof value === 'number' ? value : 0
  }

  flag(name: NamesOf<F, 'bool'>): boolean {
    return this.#value(name) === true
  }

  /** All fields by name, for tests and for people. */
  toObject(): Record<string, FieldValue> {
    const object: Record<string, FieldValue> = {}
    for (const [index, name] of this.layout.names.entries()) {
      const value = this.values[index]
      if (value !== undefined) object[name] = value
    }
    return object
  }

  #value(name: string): FieldValue | undefined {
    const index = this.layout.indexes.get(name)
    return index === undefined ? undefined : this.values[index]
  }
}

/** An event of this layout, whose field names the compiler knows. */
export type EventOf<L extends AnyEventLayout> = DecodedEvent<L['fields']>

/**
 * Decodes discriminator and fields; null when the program has no such event. Never throws: bytes
 * that end early give defaults, bytes that go on are counted.
 */
export function decodeEvent(program: ProgramName, bytes: Uint8Array): DecodedEvent | null {
  if (bytes.length < DISCRIMINATOR_BYTES) return null
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const layout = byKey.get(`${program} ${buffer.toString('hex', 0, DISCRIMINATOR_BYTES)}`)
  if (layout === undefined) return null
  const reader = new BorshReader(bytes, DISCRIMINATOR_BYTES)
  const values: FieldValue[] = []
  for (const type of layout.types) {
    const value = reader.read(type)
    if (value === null) break
    values.push(value)
  }
  const fieldsPresent = values.length
  for (const type of layout.types.slice(fieldsPresent)) values.push(defaultOf(type))
  return new DecodedEvent(
    layout,
    values,
    fieldsPresent,
    layout.types.length === 0 ? 0 : reader.rest,
  )
}

/** Whether the event is of this layout; afterwards its field names are known to the compiler. */
export function isEvent<F extends Fields>(
  event: DecodedEvent,
  layout: EventLayout<F>,
): event is DecodedEvent & DecodedEvent<F> {
  return event.layout.program === layout.program && event.layout.name === layout.name
}

/** Reads borsh values; null means that the bytes end before the value does, and nothing moves. */
class BorshReader {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = Math.min(start, bytes.byteLength)
  }

  /** Bytes not read yet. */
  get rest(): number {
    return this.#bytes.length - this.#at
  }

  read(type: FieldType): FieldValue | null {
    switch (type) {
      case 'u8':
        return this.rest < 1 ? null : this.#bytes.readUInt8(this.#take(1))
      case 'bool':
        return this.rest < 1 ? null : this.#bytes.readUInt8(this.#take(1)) !== 0
      case 'u16':
        return this.rest < 2 ? null : this.#bytes.readUInt16LE(this.#take(2))
      case 'u64':
        return this.rest < 8 ? null : this.#bytes.readBigUInt64LE(this.#take(8))
      case 'i64':
        return this.rest < 8 ? null : this.#bytes.readBigInt64LE(this.#take(8))
      case 'i128':
        return this.#i128()
      case 'pubkey':
        return this.rest < PUBKEY_BYTES ? null : this.#pubkey()
      case 'string':
        return this.#string()
      case 'vec<Shareholder>':
        return this.#shareholders()
    }
  }

  #take(size: number): number {
    const start = this.#at
    this.#at += size
    return start
  }

  #i128(): bigint | null {
    if (this.rest < 16) return null
    const start = this.#take(16)
    const low = this.#bytes.readBigUInt64LE(start)
    return (this.#bytes.readBigInt64LE(start + 8) << 64n) | low
  }

  #pubkey(): string {
    const start = this.#take(PUBKEY_BYTES)
    return encodeBase58(this.#bytes.subarray(start, start + PUBKEY_BYTES))
  }

  #string(): string | null {
    if (this.rest < 4) return null
    const size = this.#bytes.readUInt32LE(this.#at)
    if (this.rest < 4 + size) return null
    const start = this.#take(4 + size) + 4
    return this.#bytes.toString('utf8', start, start + size)
  }

  #shareholders(): readonly Shareholder[] | null {
    if (this.rest < 4) return null
    const count = this.#bytes.readUInt32LE(this.#at)
    // Checked before anything is allocated: the count comes from outside.
    if (this.rest < 4 + count * SHAREHOLDER_BYTES) return null
    this.#take(4)
    return Array.from({ length: count }, () => ({
      address: this.#pubkey(),
      share_bps: this.#bytes.readUInt16LE(this.#take(2)),
    }))
  }
}

/** What a field is when the bytes end before it: the zero of its type. */
export function defaultOf(type: FieldType): FieldValue {
  switch (type) {
    case 'u8':
    case 'u16':
      return 0
    case 'u64':
    case 'i64':
    case 'i128':
      return 0n
    case 'bool':
      return false
    case 'pubkey':
      return ZERO_ADDRESS
    case 'string':
      return ''
    case 'vec<Shareholder>':
      return []
  }
}

/** Day of the newest change of the platform that this version reads. */
const PLATFORM_DAY = '2026-10-08'

/** One sentence: which state of the platform is read, and how it shows that there is a newer one. */
export function platformSentence(): string {
  const count = (program: string) =>
    EVENT_LAYOUTS.filter((layout) => layout.program === program).length
  return (
    `Events are read as the platform emits them since ${PLATFORM_DAY} (${count('pump')} of pump, ` +
    `${count('pump_amm')} of pump_amm); newer ones are counted (feed_unknown_events_total, ` +
    'feed_unknown_tails_total), and the log names each once.'
  )
}
