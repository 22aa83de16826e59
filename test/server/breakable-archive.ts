import { TapeDamage } from '../../src/base/errors.ts'
import type { TapeArchive } from '../../src/engine/state/tape.ts'
import { MemoryArchive } from '../store/memory-archive.ts'

/** Records of it are on a disk that can be broken. */
export class BreakableArchive extends MemoryArchive {
  isBroken = false

  override block(block: number): ReturnType<TapeArchive['block']> {
    if (this.isBroken) throw new TapeDamage(`Block ${block} is damaged.`)
    return super.block(block)
  }
}
