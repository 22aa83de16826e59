import type { Fault } from '../fault.ts'

const AMM = ['amm', 'test/feeds/amm-swaps.test.ts'] as const
const GAPS = ['test/feeds/supervisor/gaps.test.ts'] as const
const RPC = ['test/feeds/solana/rpc-client.test.ts'] as const
const POOLS = ['test/feeds/solana/pool-resolver.test.ts'] as const
const GEYSER = [
  'test/feeds/yellowstone/empty-slots.test.ts',
  'test/feeds/yellowstone/geyser-reader.test.ts',
] as const
const AMOUNTS = ['test/feeds/event-amounts.test.ts'] as const
const BACKFILLS = ['test/feeds/supervisor/backfills.test.ts'] as const
const REACH = ['test/feeds/supervisor/slot-reach.test.ts'] as const
const EARLY = ['test/feeds/supervisor/early.test.ts'] as const
const SETTLER = ['test/feeds/slots/slot-settler.test.ts'] as const

/** Faults of the chain decoder and of the live feeds. */
export const FEED_FAULTS: readonly Fault[] = [
  {
    name: 'AMM: the pool quote without its virtual reserves',
    file: 'src/feeds/chain/amm-swap.ts',
    find: 'asU64(trade.poolQuoteRaw + trade.virtualQuoteRaw)',
    replace: 'asU64(trade.poolQuoteRaw)',
    tests: AMM,
  },
  {
    name: 'AMM: the reserves of a buy before the trade',
    file: 'src/feeds/chain/amm-swap.ts',
    find: "event.integer('pool_base_token_reserves') - baseRaw",
    replace: "event.integer('pool_base_token_reserves')",
    tests: AMM,
  },
  {
    name: 'AMM: a sell takes the LP fee out of the pool',
    file: 'src/feeds/chain/amm-swap.ts',
    find: "event.integer('quote_amount_out_without_lp_fee')",
    replace: "event.integer('quote_amount_out')",
    tests: AMM,
  },
  {
    name: 'AMM: the balance after a sell is that before',
    file: 'src/feeds/chain/amm-swap.ts',
    find: ': balanceBeforeRaw - baseRaw',
    replace: ': balanceBeforeRaw',
    tests: AMM,
  },
  {
    name: 'AMM: a pool does not tell what it is quoted in',
    file: 'src/feeds/chain/amm-swap.ts',
    find: 'quoteMint !== null && !isSolMint(quoteMint)',
    replace: 'quoteMint === null',
    tests: ['test/feeds/chain-variants.test.ts'],
  },
  {
    name: 'gaps: a back-fill that left out a slot is believed',
    file: 'src/feeds/supervisor/slot-asker.ts',
    find: 'return rest?.hasBlock && rest.from >= from && rest.to <= to ? rest.to : null',
    replace: 'return null',
    tests: GAPS,
  },
  {
    name: 'gaps: what lies between two pieces is passed over',
    file: 'src/feeds/supervisor/gap-filler.ts',
    find: 'this.#askedTo = to\n      return',
    replace: 'desk.passOver(to)\n      return',
    tests: GAPS,
  },
  {
    name: 'gaps: what comes before a block whose parent nobody knows is passed over',
    file: 'src/feeds/supervisor/gap-filler.ts',
    find: 'if (this.#unheard >= UNHEARD_MAX) desk.passOver(rest.to)',
    replace: 'if (this.#unheard > 0) desk.passOver(rest.to)',
    tests: GAPS,
  },
  {
    name: 'gaps: slots that may lack something are asked for once',
    file: 'src/feeds/supervisor/gap-filler.ts',
    find: "if (outcome !== 'told' && !outcome.isFinal) return this.#failed(from, to, outcome, signal)",
    replace: '',
    tests: ['test/feeds/supervisor/suspects.test.ts'],
  },
  {
    name: 'gaps: a slot that is left out is asked for without end',
    file: 'src/feeds/supervisor/slot-asker.ts',
    find: 'return this.#leftOut >= LEFT_OUT_MAX',
    replace: 'return false',
    tests: GAPS,
  },
  {
    name: 'Yellowstone: what an empty stream lacked is not told again',
    file: 'src/feeds/yellowstone/empty-slots.ts',
    find: 'Math.min(cursor, this.#suspectFrom)',
    replace: 'cursor',
    tests: GEYSER,
  },
  {
    name: 'Yellowstone: a stream that began too late has its first slot whole',
    file: 'src/feeds/yellowstone/geyser-reader.ts',
    find: 'parentSlot >= (this.#wholeFrom ?? slot)',
    replace: 'parentSlot > (this.#wholeFrom ?? slot)',
    tests: GEYSER,
  },
  {
    name: 'gaps: tries at other slots count towards giving one up',
    file: 'src/feeds/supervisor/slot-asker.ts',
    find: 'missing === this.#missing ? this.#leftOut + 1 : 1',
    replace: 'this.#leftOut + 1',
    tests: GAPS,
  },
  {
    name: 'RPC: the answer to a question whose asker has gone is not read',
    file: 'src/feeds/solana/rpc-client.ts',
    find: 'AbortSignal.any([unwanted.signal,',
    replace: 'AbortSignal.any([signal, unwanted.signal,',
    tests: RPC,
  },
  {
    name: 'RPC: who waits for a turn stays when his asker goes',
    file: 'src/feeds/solana/rpc-client.ts',
    find: "signal.addEventListener('abort', leave)\n    try {\n      await promise",
    replace: 'try {\n      await promise',
    tests: RPC,
  },
  {
    name: 'pools: a look-up ends with the connection that asked first',
    file: 'src/feeds/solana/pool-resolver.ts',
    find: 'if (this.#askers === 0) this.#unwanted.abort()',
    replace: 'this.#unwanted.abort()\n    this.#waiting.clear()',
    tests: POOLS,
  },
  {
    name: 'slots: one of which something is missing is whole',
    file: 'src/feeds/slots/slot-settler.ts',
    find: 'if (!open.isClosed || open.isIncomplete) continue',
    replace: 'if (!open.isClosed) continue',
    tests: SETTLER,
  },
  {
    name: 'slots: those far ahead push out the oldest',
    file: 'src/feeds/slots/slot-settler.ts',
    find: 'this.#open.delete(farthest > this.#tip ? farthest : Math.min(...this.#open.keys()))',
    replace: 'this.#open.delete(Math.min(...this.#open.keys()))',
    tests: SETTLER,
  },
  {
    name: 'curve: reserves in USDC are read as if they were SOL',
    file: 'src/feeds/chain/curve-events.ts',
    find: "'virtual_quote_reserves'),\n    realBaseRaw: event.integer('real_token_reserves'),\n    realQuote",
    replace:
      "'virtual_sol_reserves'),\n    realBaseRaw: event.integer('real_token_reserves'),\n    realQuote",
    tests: AMOUNTS,
  },
  {
    name: 'curve: the balance of a trade is that of another mint',
    file: 'src/feeds/chain/curve-events.ts',
    find: ' && b.mint === mint',
    replace: '',
    tests: AMOUNTS,
  },
  {
    name: 'logs: the depth of an invocation mends nothing',
    file: 'src/feeds/chain/program-logs.ts',
    find: 'Number(invoke[2]) - 1',
    replace: 'Number(invoke[2]) + 1',
    tests: ['test/feeds/program-logs.test.ts'],
  },
  {
    name: 'desk: of a slot told in part by two sources one part is lost',
    file: 'src/feeds/supervisor/held-slot.ts',
    find: 'held.every(({ guessed }) => guessed !== null)',
    replace: 'held.some(({ guessed }) => guessed !== null)',
    tests: ['test/feeds/supervisor/slot-desk.test.ts'],
  },
  {
    name: 'gaps: only the first one is filled',
    file: 'src/feeds/supervisor/gap-filler.ts',
    find: '    this.#isRunning = false\n',
    replace: '',
    tests: BACKFILLS,
  },
  {
    name: 'gaps: a slot that one source leaves out is given up while another cannot be asked',
    file: 'src/feeds/supervisor/slot-asker.ts',
    find: 'isFinal: !isForNow && (!hasHole || this.#isHoleFinal())',
    replace: 'isFinal: hasHole ? this.#isHoleFinal() : !isForNow',
    tests: BACKFILLS,
  },
  {
    name: 'slots: one where the chain cannot be is taken',
    file: 'src/feeds/supervisor/slot-reach.ts',
    find: '      return false\n    this.#refused = null',
    replace: '      this.#refused = null',
    tests: REACH,
  },
  {
    name: 'slots: those of a chain that is elsewhere are never believed',
    file: 'src/feeds/supervisor/slot-reach.ts',
    find: 'return atMs - refused.atMs >= BELIEVED_MS',
    replace: 'return false',
    tests: REACH,
  },
  {
    name: 'slots: mistakes far from each other are believed when they go on for long enough',
    file: 'src/feeds/supervisor/slot-reach.ts',
    find: 'refused !== null && slot >= refused.slot - AHEAD_SLOTS_MAX && slot <= lastOf(refused, atMs)',
    replace: 'refused !== null',
    tests: REACH,
  },
  {
    name: 'slots: one told again as late as it came is the newest',
    file: 'src/feeds/supervisor/slot-reach.ts',
    find: 'if (this.#newest === null || slot > this.#newest.slot) this',
    replace: 'this',
    tests: REACH,
  },
  {
    name: 'early slots are handed over while the clock is behind',
    file: 'src/feeds/supervisor/slot-desk.ts',
    find: '      if (this.#isEarly(this.#held.earliestSeconds)) return\n',
    replace: '',
    tests: EARLY,
  },
  {
    name: 'early slots: what is missing before them is asked for while the clock is behind',
    file: 'src/feeds/supervisor/slot-desk.ts',
    find: '    if (this.#isEarly(this.#held.earliestSeconds)) return null\n',
    replace: '',
    tests: EARLY,
  },
  {
    name: 'blocks: one in whose middle a back-fill was ended is told to be whole',
    file: 'src/feeds/solana/block-teller.ts',
    find: '    if (signal.aborted) return\n    this.#reading.check',
    replace: '    this.#reading.check',
    tests: ['test/feeds/solana/backfill.test.ts'],
  },
  {
    name: 'SOL price: a jump that nobody says any more lasts',
    file: 'src/feeds/sol-price/price-judge.ts',
    find: 'if (this.#said(nowMs, JUMP_HELD_MS).length === 0) this.#waitingSinceMs = null',
    replace: '',
    tests: ['test/feeds/sol-price/price-judge.test.ts'],
  },
  {
    name: 'slots: of a restart the time since the newest recovered event does not count',
    file: 'src/feeds/supervisor/supervisor.ts',
    find: 'Math.max(0, this.#timers.wallMs() - seconds * 1_000)',
    replace: '0',
    tests: ['test/feeds/supervisor/slot-reach.test.ts'],
  },
  {
    name: 'slots: of a restart with the clock behind the chain is taken to be ahead',
    file: 'src/feeds/supervisor/supervisor.ts',
    find: 'Math.max(0, this.#timers.wallMs() - seconds * 1_000)',
    replace: 'this.#timers.wallMs() - seconds * 1_000',
    tests: ['test/feeds/supervisor/slot-reach.test.ts'],
  },
  {
    name: 'desk: what came of slots before the end of a gap is let go with those behind it',
    file: 'src/feeds/supervisor/held-slots.ts',
    find: 'slot < first || isToldAgain',
    replace: 'isToldAgain',
    tests: ['test/feeds/supervisor/slot-desk.test.ts'],
  },
  {
    name: 'pools: a look-up goes on that nobody waits for',
    file: 'src/feeds/solana/pool-resolver.ts',
    find: 'this.#waiting.size > 0 && this.#askers > 0',
    replace: 'this.#waiting.size > 0',
    tests: ['test/feeds/solana/pool-resolver.test.ts'],
  },
  {
    name: 'gaps: the block behind one that every source lacks is asked for without end',
    file: 'src/feeds/supervisor/gap-filler.ts',
    find: "if (outcome !== 'told' && !outcome.isFinal) return this.#failed(next, next, outcome, signal)",
    replace: "if (outcome !== 'told') return this.#failed(next, next, outcome, signal)",
    tests: ['test/feeds/supervisor/gaps.test.ts'],
  },
]
