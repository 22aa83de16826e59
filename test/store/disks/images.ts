import type { Engine } from '../../../src/engine/engine.ts'
import { SWAP_U32_LANES } from '../../../src/events/swap-record.ts'
import type { WrittenBefore } from '../../../src/store/folder/commit-marker.ts'
import { UNFINISHED } from '../../../src/store/folder/data-folder.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import type { CrashDisk } from './crash-disk.ts'
import { recoverFrom } from './crash-service.ts'
import { FOLDER, type Story } from './story.ts'

/** What a recovery of an image came to. */
export interface Outcome {
  /** Events it has. */
  readonly n: number
  readonly epoch: string
}

/** What a crash leaves. */
export interface Image {
  readonly disk: CrashDisk
  /** Null: another one than before. */
  readonly boot: string | null
  readonly written: WrittenBefore | null
}

/** What a disk must give back when it crashes now. */
export interface Promised {
  /** Events before this one are on the disk for good. */
  synced: number
  /** Events before this one may be on the disk. */
  written: number
  /** Events that somebody may have seen, of each epoch. */
  readonly published: Map<string, number>
}

/** One in so many recoveries reads its whole tape. */
const TAPE_READ_EVERY = 8

/** Recovers images of disks and holds what comes out against what had been promised. */
export class Images {
  /** Images looked at. */
  count = 0
  /** Different ones among them, each recovered once. */
  recoveries = 0
  readonly #story: Story
  readonly #outcomes = new Map<string, Outcome>()

  constructor(story: Story) {
    this.#story = story
  }

  /** @throws Error that says where when the image does not give back what was promised */
  check(image: Image, promised: Promised, where: () => string): Outcome {
    this.count += 1
    const { synced, written, published } = promised
    try {
      const outcome = this.#outcomeOf(image)
      const { n, epoch } = outcome
      if (n < synced) throw new Error(`${n} events of ${synced} that were safe are left`)
      if (n > written) throw new Error(`${n} events, and only ${written} were written`)
      const seen = published.get(epoch) ?? 0
      if (n < seen) throw new Error(`${n} events of ${seen} that were seen, in the same epoch`)
      return outcome
    } catch (error) {
      throw new Error(where(), { cause: error })
    }
  }

  /** Unfinished files are left out of what makes images different: no recovery reads them. */
  #outcomeOf(image: Image): Outcome {
    const { disk, boot, written } = image
    const files = disk.fingerprint(FOLDER, (name) => !name.endsWith(UNFINISHED))
    const key = `${boot} ${JSON.stringify(written)} ${files}`
    const outcome = this.#outcomes.get(key) ?? this.#recover(image)
    this.#outcomes.set(key, outcome)
    return outcome
  }

  #recover({ disk, boot, written }: Image): Outcome {
    this.recoveries += 1
    const { engine, recovered } = recoverFrom(this.#story, disk, boot ?? OTHER_BOOT, written)
    const n = recovered.place.seq
    if (!this.#story.isStateAt(n, stateDigest(engine.parts)))
      throw new Error(`it is not the state after the first ${n} events`)
    if (this.recoveries % TAPE_READ_EVERY === 0) this.#readTape(engine)
    return { n, epoch: recovered.epoch }
  }

  /** The digest knows nothing of chunks: their records are those of the engine without a disk. */
  #readTape({ state: { tape } }: Engine): void {
    for (let i = 0; i < tape.firstInMemory; i += 1) {
      const expected = recordAt(this.#story.whole, i)
      if (!Buffer.from(recordBytes(tape, i)).equals(expected))
        throw new Error(`record ${i} of the tape is not what was folded`)
    }
  }
}

const OTHER_BOOT = 'ffffffff-0000-4000-8000-000000000000'

function recordAt({ state: { tape } }: Engine, index: number): Uint8Array {
  return recordBytes(tape, index)
}

function recordBytes(tape: Engine['state']['tape'], index: number): Uint8Array {
  const at = tape.at(index)
  return new Uint8Array(tape.u32Of(index).slice(at, at + SWAP_U32_LANES).buffer)
}
