import { isSolPrice } from '../base/thresholds.ts'
import type { Swap } from './event.ts'
import type { Mutable } from './event-lines.ts'
import { ADDRESS_CHARACTERS_MAX, SIGNATURE_CHARACTERS_MAX, U32_MAX } from './line-schemas.ts'

const bytesOf = (text: string) => Buffer.from(text)
const AMOUNTS = ['base_raw', 'quote_raw', 'virtual_base_raw', 'virtual_quote_raw']
const FEES = ['real_base_raw', 'real_quote_raw', 'platform_fee_raw', 'creator_fee_raw']
const TEXTS = ['mint', 'pool', 'signer', 'direction', ...AMOUNTS, ...FEES]
/** What stands before each value of a usual swap, in its order. */
const BEFORE = [
  ...['{"type":"swap","slot":', ',"tx_index":', ',"ordinal":', ',"signature":"'],
  ...['","timestamp":', ',"source":"pump', ...TEXTS.map((name) => `","${name}":"`)],
].map(bytesOf)
const BALANCES = ['base_balance_before_raw', 'base_balance_after_raw']
const MORE_RAWS = ['lp_fee_raw', 'cashback_raw', 'chain_fee_raw', ...BALANCES, 'supply_raw']
const BEFORE_MORE = MORE_RAWS.map((name) => bytesOf(`,"${name}":"`))
const BEFORE_PRICE = bytesOf(',"sol_price_usd":')
const AMM = bytesOf('_amm')
const BUY = bytesOf('buy')
const SELL = bytesOf('sell')
const QUOTE = bytesOf('"')
const END = bytesOf('}')
const NUMBER = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/
const RAW_DIGITS_MAX = 20
const [POINT, ZERO, NINE] = [46, 48, 57]
/** 1: printable ASCII that JSON has as it is. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, code) =>
  Number(code > 31 && code < 127 && code !== 34 && code !== 92),
)

/** Goes along a line, from value to value; has failed once something else stands there than in a usual swap. */
class SwapScan {
  hasFailed = false
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #place = 0

  begin(bytes: Buffer): void {
    this.hasFailed = false
    this.#bytes = bytes
    this.#at = 0
    this.#place = 0
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  /** Passes these bytes, which have to be next. */
  pass(expected: Buffer): void {
    if (!this.skips(expected)) this.hasFailed = true
  }

  /** Passes these bytes if they are next. */
  skips(expected: Buffer): boolean {
    const { length } = expected
    const bytes = this.#bytes
    const at = this.#at
    for (let i = 0; i < length; i++) if (bytes[at + i] !== expected[i]) return false
    this.#at = at + length
    return true
  }

  toValue(): void {
    this.pass(BEFORE[this.#place++] ?? END)
  }

  integer(max = U32_MAX): number {
    this.toValue()
    const start = this.#at
    const value = this.digits(RAW_DIGITS_MAX)
    if (value > max || (this.#bytes[start] === ZERO && this.#at > start + 1)) this.hasFailed = true
    return value
  }

  raw(): bigint {
    this.toValue()
    const value = this.digits(RAW_DIGITS_MAX)
    return this.hasFailed ? 0n : BigInt(value)
  }

  text(most: number): string {
    this.toValue()
    const bytes = this.#bytes
    const start = this.#at
    let at = start
    while (IS_PLAIN[bytes[at] ?? 0] === 1) at++
    this.#at = at
    if (at === start || at > start + most) this.hasFailed = true
    return this.hasFailed ? '' : bytes.toString('latin1', start, at)
  }

  /** A price of SOL, as JSON writes most numbers. */
  price(): number {
    const start = this.#at
    let code = this.#bytes[start] ?? 0
    while (code >= POINT && code <= NINE) code = this.#bytes[++this.#at] ?? 0
    const text = this.#bytes.toString('latin1', start, this.#at)
    const value = Number(text)
    if (!NUMBER.test(text) || !isSolPrice(value)) this.hasFailed = true
    return value
  }

  /** Exact up to 2^53: what is beyond stays beyond, however it is rounded. */
  digits(most: number): number {
    const bytes = this.#bytes
    let at = this.#at
    let value = 0
    for (let code = bytes[at] ?? 0; code >= ZERO && code <= NINE; code = bytes[++at] ?? 0)
      value = value * 10 + (code - ZERO)
    if (at === this.#at || at > this.#at + most || value > Number.MAX_SAFE_INTEGER)
      this.hasFailed = true
    this.#at = at
    return value
  }
}

const scan = new SwapScan()
/** Values of `MORE_RAWS` in the line in work. */
const more = MORE_RAWS.map((): number | undefined => undefined)

/**
 * The swap of a line as this program writes it, straight from its bytes: no spaces, keys in the order of `eventLineText`,
 * texts of printable ASCII, amounts below 2^53 as texts. Null: `parseEventLine` has to say what the line is, which gives
 * the same event for each line that is read here.
 */
export function usualSwap(bytes: Buffer): Swap | null {
  scan.begin(bytes)
  const slot = scan.integer(Number.MAX_SAFE_INTEGER)
  if (scan.hasFailed) return null
  const event: Mutable<Swap> = {
    type: 'swap',
    slot,
    txIndex: scan.integer(),
    ordinal: scan.integer(),
    signature: scan.text(SIGNATURE_CHARACTERS_MAX),
    timestamp: scan.integer(),
    source: usualSource(),
    mint: scan.text(ADDRESS_CHARACTERS_MAX),
    pool: scan.text(ADDRESS_CHARACTERS_MAX),
    signer: scan.text(ADDRESS_CHARACTERS_MAX),
    direction: usualDirection(),
    baseRaw: scan.raw(),
    quoteRaw: scan.raw(),
    virtualBaseRaw: scan.raw(),
    virtualQuoteRaw: scan.raw(),
    realBaseRaw: scan.raw(),
    realQuoteRaw: scan.raw(),
    platformFeeRaw: scan.raw(),
    creatorFeeRaw: scan.raw(),
  }
  scan.pass(QUOTE)
  more.fill(undefined)
  while (!scan.hasFailed && !scan.skips(END)) takeMore(event)
  if (scan.hasFailed || !scan.isAtEnd) return null
  const [lpFee, cashback, chainFee, before, after, supply] = more
  if (lpFee) event.lpFeeRaw = BigInt(lpFee)
  if (cashback) event.cashbackRaw = BigInt(cashback)
  if (chainFee !== undefined) event.chainFeeRaw = BigInt(chainFee)
  if (before !== undefined) event.baseBalanceBeforeRaw = BigInt(before)
  if (after !== undefined) event.baseBalanceAfterRaw = BigInt(after)
  if (supply !== undefined) event.supplyRaw = BigInt(supply)
  return event
}

function usualSource(): Swap['source'] {
  scan.toValue()
  return scan.skips(AMM) ? 'pump_amm' : 'pump'
}

function usualDirection(): Swap['direction'] {
  scan.toValue()
  if (scan.skips(BUY)) return 'buy'
  scan.pass(SELL)
  return 'sell'
}

/** Takes one of the keys that may be absent, each once. */
function takeMore(event: Mutable<Swap>): void {
  if (event.solPriceUsd === undefined && scan.skips(BEFORE_PRICE)) {
    event.solPriceUsd = scan.price()
    return
  }
  const place = BEFORE_MORE.findIndex((before) => scan.skips(before))
  if (place < 0 || more[place] !== undefined) scan.hasFailed = true
  more[place] = scan.digits(RAW_DIGITS_MAX)
  scan.pass(QUOTE)
}
