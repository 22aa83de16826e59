import type { State } from '../../engine/state/state.ts'
import { U, walletOf } from '../../events/swap-record.ts'

/** Swaps looked at between two pauses. */
const SWAPS_A_STEP = 64

/** How often each token, and each wallet, is among the newest swaps that are in memory. */
export interface RecentAttention {
  readonly tokens: ReadonlyMap<number, number>
  readonly wallets: ReadonlyMap<number, number>
}

/** Looks at `most` swaps, and yields now and then. */
export function* recentAttention({ tape }: State, most: number): Generator<void, RecentAttention> {
  const tokens = new Map<number, number>()
  const wallets = new Map<number, number>()
  const from = Math.max(tape.firstInMemory, tape.count - most)
  for (let index = from; index < tape.count; index++) {
    const u32 = tape.u32Of(index)
    const at = tape.at(index)
    count(tokens, u32[at + U.token])
    count(wallets, walletOf(u32, at))
    if (index % SWAPS_A_STEP === 0) yield
  }
  return { tokens, wallets }
}

function count(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
