import { expect, test } from 'vitest'
import { EventFollow } from '../../client/src/live/event-follow.ts'
import { EventTeller, type ToldEvent } from '../../client/src/live/event-teller.ts'
import type { Acknowledgement, ChannelFrame } from '../../client/src/live/frames.ts'
import { Mailbox } from '../../client/src/live/mailbox.ts'
import { LiveJournal } from '../../client/src/live/status.ts'
import type { Cursor, Update } from '../../client/src/live/updates.ts'
import { problem } from '../../client/src/problem.ts'

const CHANNEL = 'update_mint_info'
const KEY = 'A'
const EPOCH = 'e1'
const AT_8 = { channel: CHANNEL, key: KEY, message: '', seq: 8, epoch: EPOCH } as const
const RESYNC = { kind: 'resync', ...AT_8 } as const

function isEvent(value: unknown): value is ToldEvent {
  return typeof value === 'object' && value !== null && 'signature' in value
}

function isSnapshot(value: unknown): value is string {
  return typeof value === 'string'
}

/** A stream on a line that notes what is asked of it, and what its reader was told. */
function followed(from: Cursor | null, bufferMax = 10, wantsSnapshot = false) {
  const asked: string[] = []
  const later: (() => void)[] = []
  const mailbox = new Mailbox<Update<string, ToldEvent>>(bufferMax)
  const journal = new LiveJournal()
  const follow = new EventFollow({
    ...{
      channel: CHANNEL,
      key: KEY,
      name: 'mint',
      wantsSnapshot,
      from,
      isSnapshot,
      isEvent,
    },
    ...{ mailbox, journal, teller: new EventTeller(mailbox, journal) },
  })
  const line = {
    id: 'line',
    ask: () => void asked.push(`ask from ${follow.words().from?.seq}`),
    askLater: (_: unknown, afterMs: number, ask: () => void) => {
      asked.push(`ask after ${afterMs} ms`)
      later.push(ask)
    },
    pause: () => void asked.push('pause'),
    fail: ({ code }: { code: string }) => void asked.push(`fail ${code}`),
    drop: () => void asked.push('drop'),
  }
  const connect = () => follow.connected(line)
  const acknowledge = (given: Partial<Acknowledgement> = {}) =>
    follow.acknowledged({
      ...{ kind: 'acknowledged', action: 'subscribe', channel: CHANNEL, table: null },
      ...{ seqs: null, seq: null, epoch: EPOCH, ...given },
    })
  const frame = (seq: number, data: unknown, kind: ChannelFrame['kind'] = 'event') =>
    follow.take({
      ...{ kind, channel: CHANNEL, key: KEY, seq, epoch: EPOCH },
      fields: { data, ordinal: 0, position: seq },
    })
  const event = (seq: number) =>
    frame(seq, { signature: `S${seq}`, mint: KEY, timestamp: '2026-11-20T00:00:00Z' })
  const told: string[] = []
  const read = async () => {
    const { value } = await mailbox.next()
    if (value === undefined) told.push('end')
    else if (value.kind === 'lost') told.push(`lost ${value.fromSeq} to ${value.toSeq}`)
    else told.push(value.kind === 'refused' ? 'refused' : `${value.kind} ${value.seq}`)
    return told.at(-1)
  }
  connect()
  return { follow, journal, mailbox, asked, later, connect, acknowledge, frame, event, read }
}

test('a stream begins behind the number that the acknowledgement has for its own key', async () => {
  const { asked, acknowledge, event, read } = followed(null)
  acknowledge({ seqs: { B: 90, [KEY]: 4 }, seq: 17 })
  event(5)
  expect(await read()).toBe('event 5')
  expect(asked).toEqual(['ask from undefined'])
})

test('a service that begins elsewhere than it was asked to is left, one that leaves out a message later is asked again', () => {
  const { asked, acknowledge, event, journal } = followed({ seq: 3, epoch: EPOCH })
  acknowledge()
  event(5)
  expect(asked).toEqual(['ask from 3', 'fail invalid_frame'])
  event(4)
  event(4)
  event(6)
  expect(asked.slice(2)).toEqual(['ask from 4'])
  expect(journal.counts).toMatchObject({ gaps: 2, repeats: 1 })
})

test('a stream that waits for its reader is not asked for on a new connection, and goes on once there is room', async () => {
  const { follow, asked, connect, acknowledge, event, read } = followed({ seq: 3, epoch: EPOCH }, 2)
  acknowledge()
  for (const seq of [4, 5, 6, 7]) event(seq)
  expect(asked.splice(0)).toEqual(['ask from 3', 'pause'])
  follow.disconnected()
  connect()
  expect(asked).toEqual([])
  expect([await read(), await read()]).toEqual(['event 4', 'event 5'])
  follow.resume()
  // It does not wait any more.
  follow.resume()
  expect(asked).toEqual(['ask from 5'])
  acknowledge()
  event(6)
  expect(await read()).toBe('event 6')
})

test('a message that cannot be read is told as lost, and the next one goes on behind it', async () => {
  const { asked, acknowledge, frame, event, read } = followed({ seq: 3, epoch: EPOCH })
  acknowledge()
  frame(4, 'no event')
  event(5)
  expect([await read(), await read()]).toEqual(['lost 3 to 4', 'event 5'])
  expect(asked).toEqual(['ask from 3'])
})

test('a stream that was refused tells nothing more, and is not asked for again', async () => {
  const { follow, asked, connect, acknowledge, event, frame, read } = followed(null)
  acknowledge({ seq: 3 })
  follow.refused(problem('too_many', 'Too many.'))
  event(4)
  follow.resync({ ...RESYNC, reason: 'backlog', seq: 5 })
  frame(5, 'a snapshot', 'snapshot')
  follow.disconnected()
  connect()
  follow.resume()
  expect(asked).toEqual(['ask from undefined', 'drop'])
  expect([await read(), await read()]).toEqual(['refused', 'end'])
})

test('what was lost is told with the snapshot that follows, of the last connection nothing', async () => {
  const { follow, asked, mailbox, connect, acknowledge, frame, read } = followed({
    seq: 3,
    epoch: 'e0',
  })
  follow.resync({ ...RESYNC, reason: 'epoch_changed' })
  acknowledge()
  frame(8, 'a snapshot', 'snapshot')
  expect([await read(), await read()]).toEqual(['lost 3 to 8', 'snapshot 8'])
  follow.resync({ ...RESYNC, reason: 'backlog' })
  follow.disconnected()
  connect()
  acknowledge()
  frame(9, 'a snapshot', 'snapshot')
  expect(mailbox.size).toBe(0)
  expect(asked).toEqual(['ask from 3', 'ask from 8'])
})

test('a snapshot is waited for, and again where messages were lost: what comes before it is not told', async () => {
  const { follow, asked, mailbox, journal, acknowledge, event, frame, read } = followed(
    null,
    9,
    true,
  )
  acknowledge({ seq: 5 })
  event(5)
  frame(5, 'a snapshot', 'snapshot')
  event(6)
  expect([await read(), await read()]).toEqual(['snapshot 5', 'event 6'])
  follow.resync({ ...RESYNC, reason: 'backlog' })
  event(7)
  frame(8, 'a snapshot', 'snapshot')
  event(8)
  event(9)
  expect([await read(), await read(), await read()]).toEqual([
    'lost 6 to 8',
    'snapshot 8',
    'event 9',
  ])
  expect(mailbox.size).toBe(0)
  expect(asked).toEqual(['ask from undefined'])
  expect(journal.counts).toMatchObject({ losses: 1, repeats: 1, gaps: 0 })
})

test('a snapshot for which there is no room is asked for again once there is', async () => {
  const { follow, asked, acknowledge, event, frame, read } = followed(null, 2, true)
  acknowledge({ seq: 5 })
  frame(5, 'a snapshot', 'snapshot')
  event(6)
  follow.resync({ ...RESYNC, reason: 'backlog' })
  frame(8, 'a snapshot', 'snapshot')
  expect([await read(), await read()]).toEqual(['snapshot 5', 'event 6'])
  follow.resume()
  expect(asked).toEqual(['ask from undefined', 'pause', 'ask from 6'])
})

const AHEAD = { ...RESYNC, reason: 'seq_ahead' }

test('a replica that is behind is asked again until it has what was told, and nothing it says before counts', async () => {
  const stream = followed({ seq: 9, epoch: EPOCH })
  const { follow, asked, later, mailbox, journal } = stream
  const { connect, acknowledge, event, frame, read } = stream
  for (const waitMs of [50, 100, 200, 400, 800]) {
    follow.resync(AHEAD)
    acknowledge()
    expect(asked.splice(0)).toEqual(['ask from 9', `ask after ${waitMs} ms`])
    // It goes on from where it is, and may fall behind its own reader.
    frame(8, 'a snapshot', 'snapshot')
    event(9)
    event(10)
    follow.resync({ ...RESYNC, reason: 'backlog' })
    later.pop()?.()
    event(10)
  }
  acknowledge()
  event(10)
  expect(mailbox.size).toBe(1)
  expect(await read()).toBe('event 10')
  expect(asked).toEqual(['ask from 9'])
  expect(journal.counts).toMatchObject({ losses: 0, gaps: 0, repeats: 0 })
  // Much later it is patient again.
  follow.disconnected()
  connect()
  follow.resync(AHEAD)
  acknowledge()
  expect(asked).toEqual(['ask from 9', 'ask from 10', 'ask after 50 ms'])
})

test('what is ahead in another epoch is no replica that is behind', async () => {
  const { follow, acknowledge, frame, read } = followed({ seq: 9, epoch: 'e0' })
  follow.resync(AHEAD)
  acknowledge()
  frame(8, 'a snapshot', 'snapshot')
  expect([await read(), await read()]).toEqual(['lost 9 to 8', 'snapshot 8'])
})

test('a replica that is behind is left after 1.6 s, and believed after 15 s: then the loss is told', async () => {
  const { follow, asked, later, connect, acknowledge, frame, read } = followed({
    seq: 9,
    epoch: EPOCH,
  })
  const did: string[] = []
  const round = () => {
    asked.length = 0
    follow.resync(AHEAD)
    acknowledge()
    const [what] = asked
    did.push(what ?? 'believed')
    if (what === 'fail behind') {
      follow.disconnected()
      connect()
    } else later.pop()?.()
  }
  for (let i = 0; i < 100 && did.at(-1) !== 'believed'; i += 1) round()
  const waits = [50, 100, 200, 400, 800].map((ms) => `ask after ${ms} ms`)
  expect(did.slice(0, 7)).toEqual([...waits, 'fail behind', waits[0]])
  expect(did.filter((what) => what === 'fail behind')).toHaveLength(9)
  expect(did.at(-1)).toBe('believed')
  frame(8, 'a snapshot', 'snapshot')
  expect([await read(), await read()]).toEqual(['lost 9 to 8', 'snapshot 8'])
})
