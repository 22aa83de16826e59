import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from '../../../../src/base/base58.ts'
import { bondingCurveAddress } from '../../../../src/feeds/chain/layouts/program-address.ts'
import { PUMP_PROGRAM } from '../../../../src/feeds/chain/layouts/programs.ts'

const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

function power(base: bigint, exponent: bigint): bigint {
  if (exponent === 0n) return 1n
  const half = power((base * base) % P, exponent >> 1n)
  return exponent & 1n ? (half * base) % P : half
}

/** As RFC 8032 decodes a point: the candidate for x is tried. */
function isPoint(bytes: Buffer): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & (2n ** 255n - 1n)
  const u = (y * y + P - 1n) % P
  const v = (D * y * y + 1n) % P
  const x = (u * power(v, 3n) * power(u * power(v, 7n), (P - 5n) / 8n)) % P
  const found = (v * x * x) % P
  return found === u || found === (P - u) % P
}

function expected(mint: Buffer): string {
  const program = decodeBase58(PUMP_PROGRAM) ?? Buffer.alloc(0)
  for (let bump = 255; ; bump--) {
    const hash = createHash('sha256').update('bonding-curve').update(mint)
    hash
      .update(Buffer.from([bump]))
      .update(program)
      .update('ProgramDerivedAddress')
    const address = hash.digest()
    if (!isPoint(address)) return encodeBase58(address)
  }
}

test('an address of a program is the first hash that is no point, as the RFC decodes points', () => {
  for (let n = 0; n < 500; n++) {
    const mint = randomBytes(32)
    const text = encodeBase58(mint)
    expect(bondingCurveAddress(text), text).toBe(expected(mint))
  }
})
