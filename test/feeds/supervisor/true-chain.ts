import type { Random } from '../../../src/base/random.ts'

export interface TrueBlock {
  readonly slot: number
  readonly parentSlot: number
  readonly signatures: readonly string[]
}

/** What happened: slots with up to four transactions of ours, some of them skipped. */
export function trueChain(random: Random, firstSlot: number, count: number): readonly TrueBlock[] {
  const blocks: TrueBlock[] = []
  let slot = firstSlot - 1
  for (let n = 0; n < count; n++) {
    const parentSlot = slot
    slot += random.chance(0.15) ? random.between(2, 4) : 1
    const own = slot
    const signatures = Array.from({ length: random.below(5) }, (_, index) => `${own}/${index}`)
    blocks.push({ slot, parentSlot, signatures })
  }
  return blocks
}
