import { AMM_ADMIN_LAYOUTS } from './amm-admin-layouts.ts'
import { AMM_POOL_LAYOUTS } from './amm-pool-layouts.ts'
import { BorshReader, defaultOf } from './borsh.ts'
import type { AnyEventLayout, EventLayout, Fields, FieldValue, NamesOf } from './event-layout.ts'
import type { ProgramName } from './programs.ts'
import { PUMP_ADMIN_LAYOUTS } from './pump-admin-layouts.ts'
import { PUMP_COIN_LAYOUTS } from './pump-coin-layouts.ts'

export const DISCRIMINATOR_BYTES = 8

/** Every event that is known, of both programs. */
export const EVENT_LAYOUTS: readonly AnyEventLayout[] = [
  ...PUMP_COIN_LAYOUTS,
  ...PUMP_ADMIN_LAYOUTS,
  ...AMM_POOL_LAYOUTS,
  ...AMM_ADMIN_LAYOUTS,
]

const byKey = new Map(
  EVENT_LAYOUTS.map((layout) => [`${layout.program} ${layout.discriminator}`, layout]),
)

/** One event as decoded; fields that its bytes do not reach have the zero of their type. */
export class DecodedEvent<F extends Fields = Fields> {
  readonly layout: EventLayout<F>
  readonly values: readonly FieldValue[]
  /** Fields read from the bytes; the ones after it are defaults. */
  readonly fieldsPresent: number
  /** Bytes after the last known field, of a layout whose fields are all known: the chain runs ahead of the public IDLs. */
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
    return Object.fromEntries(this.layout.names.map((name, index) => [name, this.values[index]]))
  }

  #value(name: string): FieldValue | undefined {
    const index = this.layout.indexes.get(name)
    return index === undefined ? undefined : this.values[index]
  }
}

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
  return new DecodedEvent(layout, values, fieldsPresent, layout.isOpen ? 0 : reader.rest)
}

/** Whether the event is of this layout; afterwards its field names are known to the compiler. */
export function isEvent<F extends Fields>(
  event: DecodedEvent,
  layout: EventLayout<F>,
): event is DecodedEvent & DecodedEvent<F> {
  return event.layout.program === layout.program && event.layout.name === layout.name
}
