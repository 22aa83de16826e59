import { encodeBase58 } from '../../src/base/base58.ts'

/** An address as the chain has them; another one for each number. */
export function addressOf(number: number): string {
  const bytes = new Uint8Array(32).fill(7)
  new DataView(bytes.buffer).setUint32(28, number)
  return encodeBase58(bytes)
}
