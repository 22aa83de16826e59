import { Engine } from '../../engine/engine.ts'
import type { EngineOptions } from '../../engine/engine-options.ts'
import type { Disk } from '../disk/disk.ts'
import { DiskTapeArchive } from './tape-archive.ts'
import { DORMANT_CHUNKS, SWAP_CHUNKS } from './tape-chunk.ts'

/** What an engine reads of its tapes from a data folder. */
export interface Archives {
  readonly swaps: DiskTapeArchive
  readonly dormant: DiskTapeArchive
}

/** An empty engine whose tapes read the chunks of a data folder. */
export function archivedEngine(
  disk: Disk,
  folder: string,
  options: EngineOptions = { clock: 'event' },
): Engine {
  const engine = new Engine(options)
  archive(disk, folder, engine)
  return engine
}

/** Has the tapes of an engine read the chunks of a data folder. */
export function archive(disk: Disk, folder: string, { state }: Engine): Archives {
  const { tape, dormant } = state
  const swaps = new DiskTapeArchive(disk, folder, tape, SWAP_CHUNKS)
  const positions = new DiskTapeArchive(disk, folder, dormant.tape, DORMANT_CHUNKS)
  tape.archive = swaps
  dormant.tape.archive = positions
  return { swaps, dormant: positions }
}
