import { expect, test } from 'vitest'
import { frameLine } from '../../../src/feeds/raw-frames.ts'
import { SUBSCRIBE } from '../../../src/feeds/yellowstone/geyser-client.ts'
import { FAILED } from '../peers/chain-blocks.ts'
import { replayOf } from '../peers/feed-run.ts'
import { blockMeta, slotConfirmed, transactionUpdate } from '../peers/geyser-forms.ts'
import { logsFrame, transactionLines } from '../peers/rpc-forms.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'

function recorded(update: object): string {
  return JSON.stringify(
    frameLine('yellowstone', SUBSCRIBE.responseSerialize(update), 1_790_000_000_000),
  )
}

test('recorded updates of Yellowstone replay to the state of the transactions in them', () => {
  const chain = syntheticChain(31, 12)
  const updates = chain.blocks.flatMap((block) => [
    ...block.transactions.map((transaction) => transactionUpdate(block.slot, transaction)),
    blockMeta(block),
    slotConfirmed(block.slot),
  ])
  const fromUpdates = replayOf(updates.map(recorded))
  const fromAnswers = replayOf(transactionLines(chain))
  expect(fromUpdates.events.length).toBeGreaterThan(20)
  expect(fromUpdates.events).toEqual(fromAnswers.events)
  expect(fromUpdates.digest).toBe(fromAnswers.digest)
})

test('bytes that are no update are a bad line', () => {
  const line = JSON.stringify(frameLine('yellowstone', Buffer.from('ff'.repeat(40), 'hex'), 0))
  expect(() => replayOf([line])).toThrow('no update of Yellowstone')
})

test('frames of failed transactions take no place among those of their slot', () => {
  const [block] = syntheticChain(31, 12).blocks
  const good = block.transactions.filter(({ hasFailed }) => !hasFailed)
  const framesOf = (transactions: typeof good) =>
    replayOf(transactions.map((transaction) => logsFrame(block.slot, transaction, 1))).events
  expect(framesOf(good).length).toBeGreaterThan(1)
  expect(framesOf(good.flatMap((transaction) => [FAILED, transaction]))).toEqual(framesOf(good))
})
