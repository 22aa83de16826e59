import { swapOfRecord } from '../../engine/read/swap-outtake.ts'
import type { AddressBook } from '../../engine/state/address-book.ts'
import type { FeedEvent } from '../../events/event.ts'
import { SWAP_U32_LANES } from '../../events/swap-record.ts'
import type { Disk } from '../disk/disk.ts'
import type { DataFiles } from '../folder/data-folder.ts'
import { Kind } from '../format/journal-format.ts'
import { opensRecords, otherEventOf } from './journal-fold.ts'
import { type JournalStart, walkJournal } from './journal-scan.ts'

/** What stands in a frame: events in order of arrival, and the clock from then on in unix seconds (null: as before). */
export interface JournalEvents {
  readonly events: readonly FeedEvent[]
  readonly clockSeconds: number | null
}

/**
 * The events of a journal from a place to before segment `untilSegment`, in order of arrival, duplicates and refused ones
 * included; a frame at a time. Nothing is folded: `book` knows the addresses that records name.
 * @throws StoreError when the journal is damaged or does not reach back to there
 */
export function* journalEvents(
  disk: Disk,
  files: DataFiles,
  from: JournalStart,
  untilSegment: number,
  book: AddressBook,
): Generator<JournalEvents> {
  const segments = files.segments.filter(({ number }) => number < untilSegment)
  let found: JournalEvents[] = []
  const walk = walkJournal(
    disk,
    { ...files, segments },
    from,
    (frame) => {
      const { kind, u32, f64, payloadAt, events } = frame
      if (opensRecords(frame)) {
        const first = payloadAt >>> 2
        const swaps = Array.from({ length: events }, (_, i) =>
          swapOfRecord({ u32, f64, at: first + i * SWAP_U32_LANES }, book),
        )
        found.push({ events: swaps, clockSeconds: null })
      } else if (kind === Kind.packed || kind === Kind.event)
        found.push({ events: [otherEventOf(frame)], clockSeconds: null })
      else if (kind === Kind.clock)
        found.push({ events: [], clockSeconds: f64[payloadAt >>> 3] ?? null })
    },
    { framesPerYield: 1 },
  )
  for (const step of walk) {
    void step
    yield* found
    found = []
  }
}
