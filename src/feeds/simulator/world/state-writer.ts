import type { ReservesReason } from '../../../events/event.ts'
import type { SwapWriter } from './swap-writer.ts'
import { T, TOKEN_LANES, type TokenTable, Trait } from './token-table.ts'

/** Tells what a transaction left behind where no swap says it: reserves, supply, balances. */
export class StateWriter {
  readonly #tokens: TokenTable
  readonly #writer: SwapWriter

  constructor(parts: { readonly tokens: TokenTable; readonly writer: SwapWriter }) {
    this.#tokens = parts.tokens
    this.#writer = parts.writer
  }

  /** The reserves of the token's row as they stand now. */
  reserves(row: number, reason: ReservesReason): void {
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    const virtualQuote = lanes[lane + T.virtualQuote]
    const isSupplyTold = this.#tokens.has(row, Trait.supplyTold)
    this.#writer.event({
      type: 'reserves',
      ...this.#writer.position(),
      mint: this.#tokens.mints[row],
      source: this.#tokens.has(row, Trait.amm) ? 'pump_amm' : 'pump',
      virtualBaseRaw: BigInt(lanes[lane + T.virtualBase]),
      virtualQuoteRaw: BigInt(virtualQuote),
      realBaseRaw: BigInt(lanes[lane + T.realBase]),
      realQuoteRaw: BigInt(virtualQuote - lanes[lane + T.offsetQuote]),
      ...(isSupplyTold ? { supplyRaw: BigInt(lanes[lane + T.supply]) } : {}),
      reason,
    })
  }

  /** What a wallet holds after the open transaction; behind all that happens in it. */
  balance(row: number, wallet: string, balanceRaw: number): void {
    this.#writer.event({
      type: 'balance',
      ...this.#writer.position(),
      mint: this.#tokens.mints[row],
      wallet,
      balanceRaw: BigInt(balanceRaw),
    })
  }
}
