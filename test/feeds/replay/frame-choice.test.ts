import { expect, test } from 'vitest'
import type { FeedEvent } from '../../../src/events/event.ts'
import { FrameChoice } from '../../../src/feeds/replay/recorded-value.ts'
import { created, swap } from '../../oracle/fixtures.ts'

/** Of a transaction: `<signature> <ordinal>`, and what is none of a transaction. */
function namesOf(events: readonly FeedEvent[]): string[] {
  return events.map((event) =>
    event.type === 'swap' ? `${event.signature} ${event.ordinal}` : event.type,
  )
}

/** A recording of which each frame tells one transaction with one trade, or none. */
class Recording {
  readonly choice = new FrameChoice()

  /** Names of what counts once this frame has come. */
  frame(feed: string, seconds: number, signature: string | null): string[] {
    const events = signature === null ? [] : [swap({ signature })]
    return namesOf(this.choice.counted(events, { feed, seconds }))
  }
}

test('what a feed of another name tells counts, whoever is connected', () => {
  const recording = new Recording()
  recording.frame('yellowstone', 0, 'a')
  recording.frame('solana', 0, 'a')
  expect(recording.frame('another', 0, 'b')).toEqual(['b 0'])
})

test('a feed that tells no transactions leaves nobody out', () => {
  const recording = new Recording()
  recording.frame('yellowstone', 0, null)
  expect(recording.frame('solana', 0, 'a')).toEqual(['a 0'])
  recording.frame('yellowstone', 1, 'b')
  recording.frame('yellowstone', 3, null)
  expect(recording.frame('solana', 3.001, 'c')).toEqual(['c 0'])
})

test('a feed counts as connected for two seconds, and not before its own frames where files were put together', () => {
  const recording = new Recording()
  recording.frame('yellowstone', 1_000, 'a')
  expect(recording.frame('pumpportal', 1_002, 'b')).toEqual([])
  expect(recording.frame('pumpportal', 1_002.001, 'c')).toEqual(['c 0'])
  expect(recording.frame('pumpportal', 998, 'd')).toEqual([])
  expect(recording.frame('pumpportal', 997.999, 'e')).toEqual(['e 0'])
})

test.each([
  ['yellowstone', ['waited 0', 'new 0']],
  ['solana', ['waited 0']],
  ['pumpportal', ['waited 0']],
])(
  'what has waited long enough counts with the next frame of %s, and nothing else',
  (feed, counted) => {
    const recording = new Recording()
    recording.frame('yellowstone', 0, 'a')
    expect(recording.frame('solana', 1, 'waited')).toEqual([])
    for (const young of ['x', 'y', 'z']) recording.frame('solana', 2, young)
    recording.frame('yellowstone', 2, 'b')
    expect(recording.frame(feed, 3.001, 'new')).toEqual(counted)
    const rest = feed === 'solana' ? ['x 0', 'y 0', 'z 0', 'new 0'] : ['x 0', 'y 0', 'z 0']
    expect(namesOf(recording.choice.ended())).toEqual(rest)
    expect(recording.choice.ended()).toEqual([])
  },
)

test('what waits counts before what the next feed tells of which no better one is connected', () => {
  const recording = new Recording()
  recording.frame('yellowstone', 0, 'a')
  for (const young of ['x', 'y']) expect(recording.frame('solana', 2, young)).toEqual([])
  expect(recording.frame('solana', 2.001, 'z')).toEqual(['x 0', 'y 0', 'z 0'])
})

test('transactions that one feed tells ahead of the better one have the places that this one knows', () => {
  const recording = new Recording()
  recording.frame('yellowstone', 0, 'a')
  for (const ahead of ['x', 'y']) recording.frame('solana', 0, ahead)
  expect(recording.frame('yellowstone', 0, 'y')).toEqual(['y 0'])
  expect(recording.frame('yellowstone', 0, 'x')).toEqual(['x 0'])
  expect(recording.choice.ended()).toEqual([])
})

test('no more than ten thousand frames wait: past it the oldest counts', () => {
  const recording = new Recording()
  recording.frame('yellowstone', 0, 'a')
  for (let n = 0; n < 10_000; n++) expect(recording.frame('solana', 0, `${n}`)).toEqual([])
  expect(recording.frame('solana', 0, 'more')).toEqual(['0 0'])
})

test('of a transaction that waited everything counts, and what the chain tells again once', () => {
  const { choice } = new Recording()
  choice.counted([swap({ signature: 'a' })], { feed: 'yellowstone', seconds: 0 })
  const signature = 'x'
  const events = [
    created({ signature }),
    ...[1, 2].map((ordinal) => swap({ signature, ordinal, baseRaw: 1_000n * BigInt(ordinal) })),
  ]
  expect(choice.counted(events, { feed: 'solana', seconds: 1 })).toEqual([])
  expect(namesOf(choice.ended())).toEqual(['token_created', 'x 1', 'x 2'])
  const again = choice.counted(events, { feed: 'yellowstone', seconds: 2 })
  expect(namesOf(again)).toEqual(['token_created'])
})
