import { encodeBase58 } from '../../base/base58.ts'
import { numberAt, wholeAt } from '../../base/u64.ts'
import { ROW_MASK, ROW_SHIFT } from '../../engine/memory/rows.ts'
import { comparePlace } from '../../engine/order/position-resolver.ts'
import { flagsOf, isNeverHolder } from '../../engine/state/lanes.ts'
import { LifecycleLane, TokenFlag } from '../../engine/state/layout.ts'
import { priceSwap, soldPercent, usdOfQuote } from '../../engine/state/money.ts'
import type { State } from '../../engine/state/state.ts'
import { Quote } from '../../events/platform.ts'
import {
  Flag,
  lamportsPerUnitOf,
  poolOf,
  SIGNATURE_LANES,
  SwapFloatLane,
  SwapLane,
  solPriceOf,
  volumeMicroUsdOf,
  walletOf,
} from '../../events/swap-record.ts'
import { jsonNumber, jsonString, timeText } from '../../protocol/wire.ts'

const MICRO = 1e6
const SOL_DECIMALS = 9

/** Swap `index` of the tape as the specification's Swap resource, with additive keys where `extra`. */
export function swapJson(state: State, index: number, extra = false): string {
  return `${swapFields(state, index)}${extra ? swapExtras(state, index) : ''}}`
}

/** The specification's keys of a swap, without the bracket that ends it. */
export function swapFields(state: State, index: number): string {
  const r = state.tape.u32Of(index)
  const rf = state.tape.f64Of(index)
  const at = state.tape.at(index)
  const token = r[at + SwapLane.token]
  const b = state.births.u32[token >>> ROW_SHIFT]
  const bAt = (token & ROW_MASK) * LifecycleLane.lanes
  const wallet = walletOf(r, at)
  const flags = shownFlags(state, r[at + SwapLane.flags], token, wallet)
  const quote = b[bAt + LifecycleLane.quote]
  const decimals = b[bAt + LifecycleLane.decimals]
  const quoteDecimals = state.quotes.decimalsOf(quote)
  const solPriceUsd = solPriceOf(rf, at >>> 1)
  const { usd: priceUsd } = priceSwap(r, rf, at, quote, decimals)
  const liquidity = 2 * reserveUsd(r, rf, at, quote, quoteDecimals)
  const isSlotKnown = (flags & Flag.noSlot) === 0
  const isComplete = (flags & Flag.complete) !== 0 || isAfterGraduation(state, index, token)
  const progress = isComplete
    ? 100
    : soldPercent(r, at + SwapLane.realBaseLo, b, bAt + LifecycleLane.initialRealBaseLo)
  return (
    `{"slot":${isSlotKnown ? rf[(at >>> 1) + SwapFloatLane.slot] : 0},"tx_index":${r[at + SwapLane.txIndex]}` +
    `,"signature":${signatureJson(state, r, at)},"timestamp":"${timeText(r[at + SwapLane.timestamp])}"` +
    `,"source":"${flags & Flag.amm ? 'pump_amm' : 'pump'}"` +
    `,"direction":"${flags & Flag.sell ? 'sell' : 'buy'}"` +
    `,"signer":${jsonString(state.book.walletText(wallet))}` +
    `,"mint":${jsonString(state.book.mintOf(token))}` +
    `,"pool":${jsonString(state.book.text(poolOf(r, at)))}` +
    `,"base_mint_amount":${jsonNumber(wholeAt(r, at + SwapLane.baseLo, decimals))}` +
    `,"quote_mint_amount":${jsonNumber(wholeAt(r, at + SwapLane.quoteLo, quoteDecimals))}` +
    `,"base_mint_price_usd":${jsonNumber(priceUsd)},"sol_price_usd":${jsonNumber(solPriceUsd)}` +
    `,"volume_usd":${jsonNumber(volumeMicroUsdOf(r, rf, at) / MICRO)}` +
    `,"m_cap_usd":${jsonNumber(priceUsd * supplyOf(state, r, at, decimals))}` +
    `,"bonding_curve_progress":${jsonNumber(progress)},"liquidity_usd":${jsonNumber(liquidity)}` +
    `,"chain_fee":${jsonNumber(wholeAt(r, at + SwapLane.chainFeeLo, SOL_DECIMALS))}` +
    `,"platform_fee":${jsonNumber(wholeAt(r, at + SwapLane.platformFeeLo, quoteDecimals))}` +
    `,"creator_fee":${jsonNumber(wholeAt(r, at + SwapLane.creatorFeeLo, quoteDecimals))}` +
    `,"base_balance_before":${jsonNumber(wholeAt(r, at + SwapLane.balanceBeforeLo, decimals))}` +
    `,"base_balance_after":${jsonNumber(wholeAt(r, at + SwapLane.balanceAfterLo, decimals))}` +
    `,"fresh_wallet":${(flags & Flag.freshWallet) !== 0}` +
    `,"sniper_wallet":${(flags & Flag.sniperWallet) !== 0}` +
    `,"pro_trader":${(flags & Flag.proTrader) !== 0}`
  )
}

/**
 * Additive keys of swap `index` of the tape: fees in whole units of its quote, and whether its dollars are
 * those of a price that was known. A curve has no liquidity providers.
 */
export function swapExtras(state: State, index: number): string {
  const r = state.tape.u32Of(index)
  const rf = state.tape.f64Of(index)
  const at = state.tape.at(index)
  const token = r[at + SwapLane.token]
  const quote =
    state.births.u32[token >>> ROW_SHIFT][
      (token & ROW_MASK) * LifecycleLane.lanes + LifecycleLane.quote
    ]
  const decimals = state.quotes.decimalsOf(quote)
  const lpFee = r[at + SwapLane.flags] & Flag.amm ? wholeAt(r, at + SwapLane.lpFeeLo, decimals) : 0
  return (
    `,"lp_fee":${jsonNumber(lpFee)}` +
    `,"cashback":${jsonNumber(wholeAt(r, at + SwapLane.cashbackLo, decimals))}` +
    `,"quote_mint":${jsonString(state.quotes.mintOf(quote))}` +
    `,"quote_symbol":${jsonString(state.quotes.symbolOf(quote))}` +
    `,"priced":${wasPriced(rf, at >>> 1, quote)}`
  )
}

/** By the prices that were stored with the swap, from f64 lane `atF` on. */
function wasPriced(rf: Float64Array, atF: number, quote: number): boolean {
  if (quote === Quote.usdc) return true
  if (solPriceOf(rf, atF) === 0) return false
  return quote === Quote.sol || lamportsPerUnitOf(rf, atF) > 0
}

/** Dollars of the quote reserve behind the swap, at the prices that were stored with it. */
function reserveUsd(
  r: Uint32Array,
  rf: Float64Array,
  at: number,
  quote: number,
  quoteDecimals: number,
): number {
  const solPriceUsd = solPriceOf(rf, at >>> 1)
  const quoteAt = at + SwapLane.virtualQuoteLo
  if (quote < Quote.other) return usdOfQuote(wholeAt(r, quoteAt, quoteDecimals), quote, solPriceUsd)
  return ((numberAt(r, quoteAt) * lamportsPerUnitOf(rf, at >>> 1)) / 1e9) * solPriceUsd
}

/** A migration may become known long after swaps that came behind it in the total order. */
function isAfterGraduation(state: State, index: number, token: number): boolean {
  if ((flagsOf(state, token) & TokenFlag.graduated) === 0) return false
  const b = state.births.u32[token >>> ROW_SHIFT]
  const at = (token & ROW_MASK) * LifecycleLane.lanes
  const bf = state.births.f64[token >>> ROW_SHIFT]
  const { tape } = state
  const slot = bf[(at >>> 1) + LifecycleLane.graduatedSlotF]
  const isSlotless = (tape.u32Of(index)[tape.at(index) + SwapLane.flags] & Flag.noSlot) !== 0
  // Its index and ordinal are its own, and its slot is that of the event before it.
  if (isSlotless) return tape.f64Of(index)[(tape.at(index) >>> 1) + SwapFloatLane.slot] > slot
  const graduation = {
    slot,
    txIndex: b[at + LifecycleLane.graduatedTxIndex],
    ordinal: b[at + LifecycleLane.graduatedOrdinal],
  }
  return comparePlace(tape, index, graduation) > 0
}

/** A swap from before any supply was known gets that of the creation, or by the decimals, that became known later. */
function supplyOf(state: State, r: Uint32Array, at: number, decimals: number): number {
  const token = r[at + SwapLane.token]
  const b = state.births.u32[token >>> ROW_SHIFT]
  const bAt = (token & ROW_MASK) * LifecycleLane.lanes
  const isPassed = b[bAt + LifecycleLane.tokenProgramPlus1] !== 0 || isCreationKnown(state, token)
  if ((r[at + SwapLane.flags] & Flag.supplyUnseen) === 0 || !isPassed)
    return wholeAt(r, at + SwapLane.supplyLo, decimals)
  return wholeAt(b, bAt + LifecycleLane.passedSupplyLo, decimals)
}

function isCreationKnown(state: State, token: number): boolean {
  return (flagsOf(state, token) & TokenFlag.creationKnown) !== 0
}

/** Wallets that are no holders are never flagged, even when that became known after the swap. */
function shownFlags(state: State, flags: number, token: number, wallet: number): number {
  const judged = Flag.freshWallet | Flag.sniperWallet | Flag.proTrader
  return flags & judged && isNeverHolder(state, token, wallet) ? flags & ~judged : flags
}

function signatureJson(state: State, r: Uint32Array, at: number): string {
  if (r[at + SwapLane.flags] & Flag.textSignature)
    return jsonString(state.book.text(r[at + SwapLane.signature]))
  const start = r.byteOffset + (at + SwapLane.signature) * 4
  return `"${encodeBase58(new Uint8Array(r.buffer, start, SIGNATURE_LANES * 4))}"`
}
