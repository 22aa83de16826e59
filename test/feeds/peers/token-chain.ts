import type { FeedEvent } from '../../../src/events/event.ts'
import { replayOf } from './feed-run.ts'
import { transactionLines } from './rpc-forms.ts'
import { syntheticChain } from './synthetic-chain.ts'

const ofMint = (events: readonly FeedEvent[], mint: string) =>
  events.filter((event) => 'mint' in event && event.mint === mint)

/** A chain up to the last block of the token that has most trades in its pool, with the events of that token. */
export function chainOfToken(seed: number, blockCount: number) {
  const chain = syntheticChain(seed, blockCount)
  const { events } = replayOf(transactionLines(chain))
  const created = events.flatMap((event) => (event.type === 'token_created' ? [event.mint] : []))
  const trades = (mint: string) =>
    ofMint(events, mint).filter((event) => event.type === 'swap' && event.source === 'pump_amm')
  const [mint] = created.sort((a, b) => trades(b).length - trades(a).length)
  if (trades(mint).length <= 10) throw new Error(`no token of chain ${seed} is traded in a pool`)
  const own = ofMint(events, mint)
  const slots = new Set(own.map((event) => ('slot' in event ? event.slot : null)))
  // Ages and windows count from the newest event.
  const end = chain.blocks.findLastIndex(({ slot }) => slots.has(slot)) + 1
  return { chain: { ...chain, blocks: chain.blocks.slice(0, end) }, mint, own }
}
