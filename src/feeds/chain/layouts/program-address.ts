import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { decodeBase58, encodeBase58 } from '../../../base/base58.ts'
import {
  AMM_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  METADATA_PROGRAM,
  PUMP_PROGRAM,
  WRAPPED_SOL_MINT,
} from './programs.ts'

/** 2^255 - 19 and -121665/121666 of ed25519 (RFC 8032). */
const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const PDA_MARKER = Buffer.from('ProgramDerivedAddress')
const ADDRESS_BYTES = 32
const CURVES_CACHED_MAX = 50_000
const POOLS_CACHED_MAX = 5_000

const curveByMint = new LRUCache<string, string>({ max: CURVES_CACHED_MAX })
const poolByMints = new LRUCache<string, string>({ max: POOLS_CACHED_MAX })

/** Address of the bonding curve of `mint`; null when `mint` is no address. */
export function bondingCurveAddress(mint: string): string | null {
  return cached(curveByMint, mint, () =>
    addressFrom(PUMP_PROGRAM, [Buffer.from('bonding-curve'), addressBytes(mint)]),
  )
}

/** The authority that creates the pool of `mint` when its curve migrates. */
function poolAuthorityAddress(mint: string): string | null {
  return addressFrom(PUMP_PROGRAM, [Buffer.from('pool-authority'), addressBytes(mint)])
}

/** The one pool a migration makes; anybody can open others for the same mint. */
export function canonicalPoolAddress(mint: string, quoteMint = WRAPPED_SOL_MINT): string | null {
  return cached(poolByMints, `${mint} ${quoteMint}`, () => {
    const authority = poolAuthorityAddress(mint)
    if (authority === null) return null
    return addressFrom(AMM_PROGRAM, [
      Buffer.from('pool'),
      Buffer.from([0, 0]),
      addressBytes(authority),
      addressBytes(mint),
      addressBytes(quoteMint),
    ])
  })
}

/** Account that holds the texts of a legacy mint; null when `mint` is no address. */
export function metadataAddress(mint: string): string | null {
  const seeds = [addressBytes(METADATA_PROGRAM), addressBytes(mint)]
  return addressFrom(METADATA_PROGRAM, [Buffer.from('metadata'), ...seeds])
}

/** The account of a mint that a wallet has by default; null when one of them is no address. */
export function associatedTokenAddress(
  wallet: string,
  tokenProgram: string,
  mint: string,
): string | null {
  return addressFrom(ASSOCIATED_TOKEN_PROGRAM, [wallet, tokenProgram, mint].map(addressBytes))
}

function cached(
  cache: LRUCache<string, string>,
  key: string,
  derive: () => string | null,
): string | null {
  const known = cache.get(key)
  if (known !== undefined) return known
  const derived = derive()
  if (derived !== null) cache.set(key, derived)
  return derived
}

function addressBytes(address: string): Uint8Array | null {
  const bytes = decodeBase58(address)
  return bytes?.length === ADDRESS_BYTES ? bytes : null
}

function addressFrom(program: string, seeds: readonly (Uint8Array | null)[]): string | null {
  const programBytes = addressBytes(program)
  const given = seeds.filter((seed) => seed !== null)
  if (programBytes === null || given.length < seeds.length) return null
  const found = findProgramAddress(given, programBytes)
  return found === null ? null : encodeBase58(found)
}

/**
 * Solana's find_program_address: the first bump from 255 down whose hash is no point of the
 * curve. null only when all 256 are, which does not happen.
 */
function findProgramAddress(seeds: readonly Uint8Array[], program: Uint8Array): Uint8Array | null {
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash('sha256')
    for (const seed of seeds) hash.update(seed)
    const address = hash
      .update(Buffer.from([bump]))
      .update(program)
      .update(PDA_MARKER)
      .digest()
    if (!isOnCurve(address)) return address
  }
  return null
}

/**
 * Whether 32 bytes are the y of a point: x^2 = (y^2 - 1) / (d y^2 + 1) must be a square, which holds when numerator times
 * denominator is one (the denominator is never 0).
 */
function isOnCurve(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).reverse().toString('hex')
  const y = BigInt(`0x${text}`) & (2n ** 255n - 1n)
  const ySquared = (y * y) % P
  return isSquare(((ySquared - 1n + P) * (D * ySquared + 1n)) % P)
}

/**
 * Is a number below P a square modulo P? By the Jacobi symbol and quadratic reciprocity, as in Euclid's algorithm: 13 µs,
 * an eighth of what Euler's criterion takes, and a creation asks up to eight times.
 */
function isSquare(value: bigint): boolean {
  let [top, bottom] = [value, P]
  let isNegative = false
  while (top !== 0n) {
    let twos = 0
    for (; (top & 1n) === 0n; top >>= 1n) twos++
    const rest = bottom & 7n
    if (twos % 2 === 1 && (rest === 3n || rest === 5n)) isNegative = !isNegative
    if ((top & 3n) === 3n && (bottom & 3n) === 3n) isNegative = !isNegative
    ;[top, bottom] = [bottom % top, top]
  }
  return value === 0n || !isNegative
}
