import type { Engine } from '../../src/engine/engine.ts'

/** How often `use` asks for the lanes of a swap. */
export function readsOf({ state: { tape } }: Engine, use: () => void): number {
  const u32Of = tape.u32Of.bind(tape)
  let reads = 0
  tape.u32Of = (index) => {
    reads += 1
    return u32Of(index)
  }
  use()
  tape.u32Of = u32Of
  return reads
}
