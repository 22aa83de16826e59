/**
 * Makes a data folder as a kill leaves it: a snapshot of a market with its history, and a journal
 * tail behind it. Arguments: folder, tokens, swaps a second of the history, frames of the tail,
 * swaps a frame, and live swaps of the snapshot behind the history (0). Prints the folder's sizes as JSON.
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordSink } from '../../src/events/event-sink.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { dataPath } from '../../src/store/folder/data-folder.ts'
import { bootId } from '../../src/store/folder/process-lock.ts'
import { Journal } from '../../src/store/journal/journal.ts'
import { JournaledEngine } from '../../src/store/journal/journaled-engine.ts'
import { writeSnapshot } from '../../src/store/snapshot/snapshot-file.ts'
import { archivedEngine, archiveTape } from '../../src/store/snapshot/tape-archive.ts'
import { DORMANT_CHUNKS, SWAP_CHUNKS } from '../../src/store/snapshot/tape-chunk.ts'
import { newMarket, playHistory, playLive } from '../recorded-market.ts'
import { SmallBatches } from '../small-batches.ts'

const LIVE_RATE = 1_000

const folder = process.argv[2]
const [tokens, historyRate, tailFrames, swapsPerFrame, liveSwaps = 0] = process.argv
  .slice(3)
  .map(Number)
const size = { tokens, historyRate, liveSwaps: tailFrames * swapsPerFrame, liveRate: LIVE_RATE }

const disk = new NodeDisk()
disk.makeFolder(folder)
const engine = archivedEngine(disk, folder)
const onFailure = (failure: Error) => {
  throw failure
}
const about = {
  disk,
  folder,
  fsync: 'off',
  epoch: randomUUID(),
  boot: bootId(),
  onFailure,
} as const
const journal = new Journal(about, { seq: 0, crc: 0, segment: 0 })
const journaled = new JournaledEngine(engine, journal)
journaled.settings()
let sink: RecordSink = journaled
const market = newMarket(size, engine.state.book, {
  records: (batch) => sink.records(batch),
})
playHistory(market, size)
playLive(market, { ...size, liveSwaps })
// The snapshot that a compactor would make, which has to fold all a second time.
const segment = journal.boundary()
const { seq } = journal
const { tape, dormant } = engine.state
archiveTape(disk, folder, tape, engine.settledSwaps, SWAP_CHUNKS)
archiveTape(disk, folder, dormant.tape, dormant.tape.count, DORMANT_CHUNKS)
writeSnapshot(disk, folder, dataPath(folder, 'snapshot', seq), engine.parts, {
  ...{ seq, segment, epoch: about.epoch, settings: engine.settings },
  chunks: { swaps: tape.chunkCrcs, positions: dormant.tape.chunkCrcs },
})
if (tailFrames > 0) {
  sink = new SmallBatches(journaled, swapsPerFrame)
  playLive(market, size)
}

const bytes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size] as const)
const sum = (start: string) =>
  bytes.reduce((all, [name, size]) => (name.startsWith(start) ? all + size : all), 0)
process.stdout.write(
  JSON.stringify({
    snapshotBytes: sum('snapshot-'),
    journalBytes: sum('journal-'),
    tapeBytes: sum('tape-'),
    snapshotSeq: seq,
    seq: journal.seq,
  }),
)
