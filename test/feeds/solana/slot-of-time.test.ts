import { expect, onTestFinished, test } from 'vitest'
import { RpcClient } from '../../../src/feeds/solana/rpc-client.ts'
import { RpcQuestions } from '../../../src/feeds/solana/rpc-questions.ts'
import { REAL_TIMERS } from '../../../src/feeds/timers.ts'
import { lastSlot } from '../peers/chain-blocks.ts'
import { SolanaPeer } from '../peers/solana-peer.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'

const NEVER = new AbortController().signal
const BLOCKS = 3_000

test('the slot of a time is one of it or shortly before, in few questions', async () => {
  const chain = syntheticChain(61, BLOCKS)
  const peer = new SolanaPeer({ chain, head: BLOCKS })
  const client = new RpcClient(`http://${await peer.start()}`, REAL_TIMERS)
  onTestFinished(() => peer.stop())
  const questions = new RpcQuestions(client)
  for (const place of [2_999, 2_700, 1_500, 40]) {
    const { timestamp } = chain.blocks[place]
    const before = client.counters.requests
    const slot = await questions.slotAt(timestamp, NEVER)
    const found = chain.blocks.findLast((block) => block.slot <= slot)
    expect(found?.timestamp).toBeLessThanOrEqual(timestamp)
    expect(timestamp - (found?.timestamp ?? 0)).toBeLessThanOrEqual(3)
    expect(client.counters.requests - before).toBeLessThan(40)
  }
  expect(await questions.slotAt(chain.blocks[BLOCKS - 1].timestamp + 999, NEVER)).toBe(
    lastSlot(chain),
  )
})
