import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChannelFrame } from '../../client/src/live/frames.ts'
import { StateFollow, type StateMoment } from '../../client/src/live/state-follow.ts'
import { LiveJournal } from '../../client/src/live/status.ts'
import { problem } from '../../client/src/problem.ts'

const CHANNEL = 'candles'
const KEY = 'A 1'

/** A stream of a state on a line that notes what is asked of it, and what its reader was shown. */
function followed() {
  const noted: string[] = []
  const later: (() => void)[] = []
  const journal = new LiveJournal()
  const next: { result: 'applied' | 'unfit' | 'full' } = { result: 'applied' }
  const apply = ({ kind }: ChannelFrame, { step, seq, epoch, time }: StateMoment) => {
    noted.push(`${kind} ${step} ${seq} ${epoch} ${time}: ${next.result}`)
    return next.result
  }
  const follow = new StateFollow({
    ...{ channel: CHANNEL, key: KEY, subscribeWords: { countback: 9 }, leaveWords: { mint: 'A' } },
    ...{ journal, apply, refused: ({ code }) => void noted.push(`refused ${code}`) },
  })
  const line = {
    id: 'line',
    ask: () => void noted.push('ask'),
    askLater: (_: unknown, afterMs: number, ask: () => void) => {
      noted.push(`ask after ${afterMs} ms`)
      later.push(ask)
    },
    pause: () => void noted.push('pause'),
    fail: ({ code, message }: { code: string; message: string }) =>
      void noted.push(`fail ${code}: ${message}`),
    drop: () => void noted.push('drop'),
  }
  const at = (
    place: { readonly seq: number; readonly epoch: string },
    kind: ChannelFrame['kind'],
    step: unknown,
    time: unknown = 7,
  ) => follow.take({ kind, channel: CHANNEL, key: KEY, ...place, fields: { step, time } })
  const frame = (kind: ChannelFrame['kind'], step: unknown, time: unknown = 7) =>
    at({ seq: 5, epoch: 'e1' }, kind, step, time)
  /** What was noted since it was asked for. */
  const news = () => noted.splice(0)
  return { follow, journal, later, next, frame, at, news, connect: () => follow.connected(line) }
}

/** One that shows a state of step 3. */
function shown() {
  const stream = followed()
  stream.connect()
  stream.follow.acknowledged()
  stream.frame('snapshot', 3)
  expect(stream.news()).toEqual(['ask', 'snapshot 3 5 e1 7: applied'])
  return stream
}

test('a state is asked for with its words, and left with others', () => {
  const { follow } = followed()
  expect(follow.words()).toEqual({ name: null, from: null, snapshot: true, more: { countback: 9 } })
  expect(follow).toMatchObject({ channel: CHANNEL, key: KEY, leaveWords: { mint: 'A' } })
})

test('a state is a snapshot and the deltas behind it, whose steps go on by one', () => {
  const { frame, news, follow, journal } = shown()
  frame('delta', 4)
  frame('event', 5)
  frame('delta', 5)
  frame('snapshot', 1)
  frame('delta', 2)
  expect(news()).toEqual([
    ...['delta 4 5 e1 7: applied', 'delta 5 5 e1 7: applied'],
    ...['snapshot 1 5 e1 7: applied', 'delta 2 5 e1 7: applied'],
  ])
  expect(journal.counts.gaps).toBe(0)
  follow.resume()
  expect(news()).toEqual([])
})

test.each<[string, unknown, unknown]>([
  ['a step is missing', 5, 7],
  ['a step comes twice', 3, 7],
  ['the step is none', '4', 7],
  ['the time is none', 4, null],
])(
  'where %s a snapshot is asked for, once, and nothing is shown until it comes',
  (_, step, time) => {
    const { frame, news, follow, journal } = shown()
    frame('delta', step, time)
    for (const later of [4, 5, 6]) frame('delta', later)
    frame('snapshot', 6)
    follow.resync()
    expect(news()).toEqual(['ask'])
    follow.acknowledged()
    frame('delta', 4)
    frame('snapshot', 6)
    frame('delta', 7)
    expect(news()).toEqual(['snapshot 6 5 e1 7: applied', 'delta 7 5 e1 7: applied'])
    expect(journal.counts).toMatchObject({ gaps: 1, holds: 0 })
  },
)

test('a delta that does not fit is a gap; a snapshot that cannot be read costs the connection', () => {
  const { frame, news, follow, next, journal } = shown()
  next.result = 'unfit'
  frame('delta', 4)
  expect(news()).toEqual(['delta 4 5 e1 7: unfit', 'ask'])
  follow.acknowledged()
  const failed = 'fail invalid_frame: A snapshot of candles cannot be read.'
  frame('snapshot', 4)
  frame('snapshot', -1)
  frame('snapshot', 4, 'now')
  expect(news()).toEqual(['snapshot 4 5 e1 7: unfit', failed, failed, failed])
  expect(journal.counts).toMatchObject({ gaps: 1, holds: 0 })
})

test.each(['snapshot', 'delta'] as const)(
  'a %s for which there is no room is asked for again when there is, and not before',
  (kind) => {
    const { frame, news, follow, next, journal, connect } = shown()
    next.result = 'full'
    frame(kind, 4)
    next.result = 'applied'
    expect(news()).toEqual([`${kind} 4 5 e1 7: full`, 'pause'])
    frame('delta', 4)
    frame('snapshot', 5)
    follow.disconnected()
    connect()
    expect(news()).toEqual([])
    follow.resume()
    follow.resume()
    expect(news()).toEqual(['ask'])
    follow.acknowledged()
    frame('snapshot', 5)
    expect(news()).toEqual(['snapshot 5 5 e1 7: applied'])
    expect(journal.counts).toMatchObject({ gaps: 0, holds: 1 })
  },
)

test('where the service says that it could not go on a snapshot is asked for', () => {
  const { frame, news, follow } = shown()
  follow.resync()
  frame('delta', 4)
  expect(news()).toEqual(['ask'])
})

test('one that is refused is told so and dropped', () => {
  const { follow, news } = shown()
  follow.refused(problem('unknown', 'm'))
  expect(news()).toEqual(['refused unknown', 'drop'])
})

test('whatever came before, a new connection is asked, and its snapshot is shown', () => {
  const happening = fc.constantFrom(
    ...(['ask', 'answer', 'lose', 'come back', 'resume', 'delta', 'full', 'unfit'] as const),
  )
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 12 }), (happenings) => {
      const stream = followed()
      stream.connect()
      for (const what of happenings) {
        stream.next.result = what === 'full' || what === 'unfit' ? what : 'applied'
        if (what === 'ask') stream.follow.resync()
        else if (what === 'answer') stream.follow.acknowledged()
        else if (what === 'lose') stream.follow.disconnected()
        else if (what === 'resume') stream.follow.resume()
        else if (what === 'come back') {
          stream.follow.disconnected()
          stream.connect()
        } else stream.frame(what === 'delta' ? 'delta' : 'snapshot', 4)
      }
      stream.next.result = 'applied'
      stream.follow.disconnected()
      stream.follow.resume()
      stream.news()
      stream.connect()
      stream.frame('snapshot', 8)
      expect(stream.news()).toEqual(['ask'])
      stream.follow.acknowledged()
      stream.frame('delta', 9)
      stream.frame('snapshot', 8)
      stream.frame('delta', 9)
      expect(stream.news()).toEqual(['snapshot 8 5 e1 7: applied', 'delta 9 5 e1 7: applied'])
    }),
  )
})

test('a state of a replica that is behind is not shown: it is asked for until it is as new as the one shown', () => {
  const { follow, at, later, news, connect } = shown()
  follow.disconnected()
  connect()
  for (const waitMs of [50, 100]) {
    follow.acknowledged()
    at({ seq: 4, epoch: 'e1' }, 'snapshot', 8)
    at({ seq: 6, epoch: 'e1' }, 'delta', 9)
    expect(news()).toEqual(['ask', `ask after ${waitMs} ms`])
    later.pop()?.()
  }
  follow.acknowledged()
  at({ seq: 5, epoch: 'e1' }, 'snapshot', 9)
  at({ seq: 6, epoch: 'e1' }, 'delta', 10)
  expect(news()).toEqual(['ask', 'snapshot 9 5 e1 7: applied', 'delta 10 6 e1 7: applied'])
  // Numbers of another epoch say nothing about those of this one.
  follow.disconnected()
  connect()
  follow.acknowledged()
  at({ seq: 1, epoch: 'e2' }, 'snapshot', 1)
  expect(news()).toEqual(['ask', 'snapshot 1 1 e2 7: applied'])
})
