import { encodeBase58 } from '../../../src/base/base58.ts'
import { bondingCurveAddress } from '../../../src/feeds/chain/layouts/program-address.ts'
import type { SeededRandom } from '../seeded-random.ts'

/** A frame of PumpPortal with what a test has to know of it. */
export interface MarketFrame {
  readonly text: string
  readonly mint: string
  readonly kind: 'create' | 'trade' | 'migrate'
}

const MINTS = 3
const TRADES = 40

interface Curve {
  readonly mint: string
  readonly curve: string
  baseRaw: number
  quoteRaw: number
  hasMigrated: boolean
}

/** A small market in PumpPortal's words: reserves follow on from trade to trade. */
export function portalMarket(random: SeededRandom): MarketFrame[] {
  const frames: MarketFrame[] = []
  const curves: Curve[] = []
  for (let index = 0; index < MINTS; index++) frames.push(create(random, curves))
  for (let index = 0; index < TRADES; index++) {
    frames.push(trade(random, random.pick(curves)))
    if (index === TRADES >> 1) frames.push(migrate(random, curves[0]))
  }
  return frames
}

/** The creation of a coin quoted in USDC, as PumpPortal reports it. */
export function bogusCreate(random: SeededRandom): string {
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
  const { frame } = newCreate(random)
  return JSON.stringify({ ...frame, mint })
}

function address(random: SeededRandom): string {
  return encodeBase58(random.bytes(32))
}

function signature(random: SeededRandom): string {
  return encodeBase58(random.bytes(64))
}

function newCreate(random: SeededRandom) {
  const mint = address(random)
  const curve = bondingCurveAddress(mint) ?? ''
  const boughtRaw = random.below(2) * random.below(1e9) * 1_000
  const paidRaw = boughtRaw === 0 ? 0 : random.below(3e9)
  const frame = {
    signature: signature(random),
    mint,
    traderPublicKey: address(random),
    txType: 'create',
    initialBuy: boughtRaw / 1e6,
    solAmount: paidRaw / 1e9,
    bondingCurveKey: curve,
    vTokensInBondingCurve: (1.073e15 - boughtRaw) / 1e6,
    vSolInBondingCurve: (30e9 + paidRaw) / 1e9,
    marketCapSol: 28,
    name: `Token ${mint.slice(0, 4)}`,
    symbol: mint.slice(0, 4),
    uri: `https://example.com/${mint}`,
    is_mayhem_mode: false,
    pool: 'pump',
  }
  return { frame, baseRaw: 1.073e15 - boughtRaw, quoteRaw: 30e9 + paidRaw }
}

function create(random: SeededRandom, curves: Curve[]): MarketFrame {
  const { frame, baseRaw, quoteRaw } = newCreate(random)
  const { mint, bondingCurveKey: curve } = frame
  curves.push({ mint, curve, baseRaw, quoteRaw, hasMigrated: false })
  return { text: JSON.stringify(frame), mint, kind: 'create' }
}

function trade(random: SeededRandom, curve: Curve): MarketFrame {
  const isBuy = random.below(3) > 0
  const amountRaw = (1 + random.below(1e9)) * 1_000
  const quoteRaw = 1 + random.below(1e9)
  curve.baseRaw += isBuy ? -amountRaw : amountRaw
  curve.quoteRaw += isBuy ? quoteRaw : -quoteRaw
  const reserves = curve.hasMigrated
    ? { pool: 'pump-amm', tokensInPool: curve.baseRaw / 1e6, solInPool: curve.quoteRaw / 1e9 }
    : {
        pool: 'pump',
        bondingCurveKey: curve.curve,
        vTokensInBondingCurve: curve.baseRaw / 1e6,
        vSolInBondingCurve: curve.quoteRaw / 1e9,
      }
  const text = JSON.stringify({
    signature: signature(random),
    mint: curve.mint,
    traderPublicKey: address(random),
    txType: isBuy ? 'buy' : 'sell',
    tokenAmount: amountRaw / 1e6,
    solAmount: quoteRaw / 1e9,
    newTokenBalance: random.below(1e9),
    marketCapSol: 30,
    ...reserves,
  })
  return { text, mint: curve.mint, kind: 'trade' }
}

function migrate(random: SeededRandom, curve: Curve): MarketFrame {
  curve.hasMigrated = true
  curve.baseRaw = 206.9e12
  curve.quoteRaw = 84.99e9
  const frame = {
    signature: signature(random),
    mint: curve.mint,
    txType: 'migrate',
    pool: 'pump-amm',
  }
  return { text: JSON.stringify(frame), mint: curve.mint, kind: 'migrate' }
}
