import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { NodeDisk } from '../../../src/store/disk/node-disk.ts'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import { listDataFiles } from '../../../src/store/folder/data-folder.ts'
import { Kind } from '../../../src/store/format/journal-format.ts'
import { Journal } from '../../../src/store/journal/journal.ts'
import { JournalCopy } from '../../../src/store/journal/journal-copy.ts'
import { foldJournal } from '../../../src/store/journal/journal-fold.ts'
import { walkJournal } from '../../../src/store/journal/journal-scan.ts'
import { JournaledEngine } from '../../../src/store/journal/journaled-engine.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { MessageWriter, type StreamMessage } from '../../../src/stream/stream-message.ts'
import { newFolder } from '../../new-folder.ts'
import { START_SECOND } from '../../oracle/fixtures.ts'
import { messageLog } from '../../stream/message-log.ts'
import { crowd } from '../crowd.ts'

const EPOCH = '3f0c1a52-0d4e-4b8a-9a52-6f0b5f1f2a10'
const SEQUENCER_SECOND = START_SECOND + 3_600
const COPY_SECOND = SEQUENCER_SECOND + 5

/** What a sequencer publishes: settings and events in one message, its own clock between them. */
function published(): StreamMessage[] {
  const messages: StreamMessage[] = []
  const writer = new MessageWriter({ epoch: EPOCH, index: 1, seq: 0, crc: 0 }, (message) =>
    messages.push(message),
  )
  const log = messageLog(writer, 0, () => {})
  const engine = new Engine({ clock: 'wall' })
  engine.advance(SEQUENCER_SECOND)
  const journaled = new JournaledEngine(engine, log)
  journaled.settings()
  journaled.events(crowd(3, 200))
  writer.end()
  return messages
}

function copied(engine: Engine | null) {
  const folder = newFolder()
  const disk = new NodeDisk()
  const onFailure = (failure: Error) => {
    throw failure
  }
  const about = { disk, folder, fsync: 'off' as const, epoch: EPOCH, boot: EPOCH, onFailure }
  const journal = new Journal(about, { seq: 0, crc: 0, segment: 0 })
  const copy = new JournalCopy(engine, journal)
  for (const message of published()) {
    const { seq } = copy
    copy.write(message)
    copy.fold([message], seq)
  }
  journal.close()
  const files = listDataFiles(disk, folder)
  const refolded = new Engine({ clock: 'event' })
  runToEnd(foldJournal(refolded, { disk, files, from: { seq: 0, segment: 0 } }))
  const clocks: (number | undefined)[] = []
  const visit: Parameters<typeof walkJournal>[3] = (frame) => {
    if (frame.kind === Kind.clock) clocks.push(frame.f64[frame.payloadAt >>> 3])
  }
  runToEnd(walkJournal(disk, files, 0, visit))
  return { refolded, clocks }
}

test('the journal of a copy folds to the state of the copy, at whose clock its first events came', () => {
  const live = new Engine({ clock: 'wall' })
  live.advance(COPY_SECOND)
  const { refolded, clocks } = copied(live)
  expect(clocks).toEqual([COPY_SECOND])
  expect(refolded.state.now).toBe(COPY_SECOND)
  expect(stateDigest(refolded.parts)).toBe(stateDigest(live.parts))
})

test('a copy that folds nothing keeps the clock of the sequencer', () => {
  const { refolded, clocks } = copied(null)
  expect(clocks).toEqual([SEQUENCER_SECOND])
  expect(refolded.seq).toBeGreaterThan(200)
})
