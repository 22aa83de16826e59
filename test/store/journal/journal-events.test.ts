import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { listDataFiles } from '../../../src/store/folder/data-folder.ts'
import { journalEvents } from '../../../src/store/journal/journal-events.ts'
import { FOLDER, recovered, SIZES, writtenFolder } from '../damage/folder.ts'
import { octoberHistory } from '../golden/october.ts'

const SEGMENTS_AT = [40, 90]

function written() {
  const events = octoberHistory(4)
  const disk = writtenFolder({ events, segmentsAt: SEGMENTS_AT, snapshotsAt: [] })
  const { book } = recovered(disk).engine.state
  const read = (from: { seq: number; segment: number }, until: number) =>
    [...journalEvents(disk, listDataFiles(disk, FOLDER), from, until, book)].flatMap(
      ({ events }) => events,
    )
  return { events, read }
}

/** By what an engine makes of them: what is given as its default is not told apart. */
function stateOf(events: readonly FeedEvent[]): object {
  const engine = new Engine(SIZES)
  engine.events(events)
  return {
    seq: engine.seq,
    ...engine.counts,
    now: engine.state.now,
    tokens: engine.state.tokens.count,
  }
}

test('the events of whole segments come out of the journal as they went in, in order', () => {
  const { events, read } = written()
  const all = read({ seq: 0, segment: 0 }, Number.POSITIVE_INFINITY)
  expect(all.map(({ type, timestamp }) => [type, timestamp])).toEqual(
    events.map(({ type, timestamp }) => [type, timestamp]),
  )
  expect(stateOf(all)).toEqual(stateOf(events))
})

test('those of a part of the journal are those between its segments', () => {
  const { events, read } = written()
  const [from, to] = SEGMENTS_AT
  const part = read({ seq: from, segment: 2 }, 3)
  expect(part.map(({ type }) => type)).toEqual(events.slice(from, to).map(({ type }) => type))
  expect(read({ seq: 0, segment: 0 }, 2)).toHaveLength(from)
})

test('a journal that does not reach back to its place is refused', () => {
  const events = octoberHistory(4)
  const disk = writtenFolder({ events, segmentsAt: SEGMENTS_AT, snapshotsAt: [] })
  const files = listDataFiles(disk, FOLDER)
  const { book } = recovered(disk).engine.state
  const later = { ...files, segments: files.segments.slice(1) }
  expect(() => [...journalEvents(disk, later, { seq: 0, segment: 0 }, 9, book)]).toThrow()
})
