import { decodeBase58 } from '../../../src/base/base58.ts'
import { defaultOf } from '../../../src/feeds/chain/layouts/decode-event.ts'
import type {
  AnyEventLayout,
  FieldType,
  FieldValue,
  Shareholder,
} from '../../../src/feeds/chain/layouts/event-layout.ts'

/** An event as its program writes it; fields that are not given are zero. */
export function eventBytes(
  layout: AnyEventLayout,
  values: Readonly<Record<string, FieldValue>>,
): Buffer {
  const unknown = Object.keys(values).filter((name) => !layout.indexes.has(name))
  if (unknown.length > 0) throw new Error(`${layout.name} has no ${unknown.join(', ')}`)
  const fields = layout.names.map((name, index) => {
    const type = layout.types[index]
    return fieldBytes(type, values[name] ?? defaultOf(type))
  })
  return Buffer.concat([Buffer.from(layout.discriminator, 'hex'), ...fields])
}

function fieldBytes(type: FieldType, value: FieldValue): Buffer {
  switch (type) {
    case 'u8':
      return integerBytes(BigInt(Number(value)), 1)
    case 'bool':
      return integerBytes(value === true ? 1n : 0n, 1)
    case 'u16':
      return integerBytes(BigInt(Number(value)), 2)
    case 'u64':
    case 'i64':
      return integerBytes(BigInt(String(value)), 8)
    case 'i128':
      return integerBytes(BigInt(String(value)), 16)
    case 'pubkey':
      return addressBytes(String(value))
    case 'string': {
      const text = Buffer.from(String(value))
      return Buffer.concat([integerBytes(BigInt(text.length), 4), text])
    }
    case 'vec<Shareholder>': {
      const items = holdersOf(value).map((holder) =>
        Buffer.concat([addressBytes(holder.address), integerBytes(BigInt(holder.share_bps), 2)]),
      )
      return Buffer.concat([integerBytes(BigInt(items.length), 4), ...items])
    }
  }
}

function holdersOf(value: FieldValue): readonly Shareholder[] {
  return Array.isArray(value) ? value : []
}

function integerBytes(value: bigint, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  let rest = BigInt.asUintN(size * 8, value)
  for (let at = 0; at < size; at++) {
    bytes[at] = Number(rest & 0xffn)
    rest >>= 8n
  }
  return bytes
}

function addressBytes(address: string): Buffer {
  const bytes = decodeBase58(address)
  if (bytes?.length !== 32) throw new Error(`${address} is no address`)
  return Buffer.from(bytes)
}
