/** What lies in buffers of its own. */
export interface Sized {
  /** Bytes of its buffers. */
  readonly bytes: number
  /** Of those never written to: the system has given no memory for them yet. */
  readonly untouchedBytes?: number
}

/** One part of the program's memory, as figures name it. */
export interface MemoryPart {
  /** Words of a figure's name, in front of `_bytes`. */
  readonly name: string
  readonly bytes: number
  readonly untouchedBytes: number
  /** Does it grow with the market? Else it has a bound. */
  readonly grows: boolean
}

/** What holds the market itself: more tokens, wallets, positions or swaps are more bytes. */
export function growingPart(name: string, ...sized: readonly Sized[]): MemoryPart {
  return { ...summed(sized), name, grows: true }
}

/** What never passes a size that is set. */
export function boundedPart(name: string, ...sized: readonly Sized[]): MemoryPart {
  return { ...summed(sized), name, grows: false }
}

function summed(sized: readonly Sized[]): Required<Sized> {
  return {
    bytes: sized.reduce((sum, { bytes }) => sum + bytes, 0),
    untouchedBytes: sized.reduce((sum, { untouchedBytes }) => sum + (untouchedBytes ?? 0), 0),
  }
}
