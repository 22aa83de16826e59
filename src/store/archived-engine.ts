import { Engine } from '../engine/engine.ts'
import type { EngineOptions } from '../engine/engine-options.ts'
import { TAPE_CHUNK_RECORDS } from '../engine/tape.ts'
import type { Disk } from './disk.ts'
import { DiskTapeArchive } from './tape-archive.ts'

/** An empty engine whose tape reads the chunks of a data folder. */
export function archivedEngine(
  disk: Disk,
  folder: string,
  options: EngineOptions = { clock: 'event' },
): Engine {
  const engine = new Engine(options)
  const chunkRecords = options.tapeChunkRecords ?? TAPE_CHUNK_RECORDS
  engine.state.tape.archive = new DiskTapeArchive(disk, folder, chunkRecords)
  return engine
}
